"""One past run made again with the version on trial, by the pipeline that makes runs."""

import copy

import structlog
from django.conf import settings
from django.db.models.functions import Now

from generation import lease as leases
from generation.lease import Lost
from generation.loop import Ending
from generation.models import Run, Status, TriedRun
from generation.pipeline import Postponed, outcome
from generation.trials.stages import judges
from generation.trials.trail import TrialTrail

log = structlog.get_logger(__name__)


def work_on(tried_id: int) -> None:
    """Make one past run again. Returns quietly where another worker has it, or the trial was stopped.

    Safe to run again after a kill at any point: calls that were answered are taken up, not paid for twice.
    """
    token = leases.take_row(TriedRun.objects.filter(pk=tried_id))
    if token is None:
        return
    found = TriedRun.objects.select_related("trial__version__prompt", "run__institution", "subcategory")
    tried = found.get(pk=tried_id)
    run = as_tried(tried)
    trail = TrialTrail(tried, run, token)
    with structlog.contextvars.bound_contextvars(trial=str(tried.trial_id), run=str(tried.run_id)):
        try:
            _leave(trail, outcome(run, trail))
        except Lost:
            log.info("tried_run_lost")  # stopped, or taken over


def as_tried(tried: TriedRun) -> Run:
    """The past run as it is tried: in its first round, on its own, with the version in place of its own.

    Its arm stays: what a run of the holdout was made without, it is tried without.
    """
    run, version = copy.copy(tried.run), tried.trial.version
    run.status, run.attempts = tried.status, tried.attempts
    run.round, run.revision = 1, len(tried.drafts)
    run.batch = None
    run.subcategory = tried.subcategory
    run.provider = settings.FOLDBACK_PROVIDER
    chosen = run.options.get("prompt_versions") or {}
    run.options = {**run.options, "prompt_versions": {**chosen, version.prompt.stage: version.pk}}
    run.options.pop("economy", None)  # whoever tries a version waits for it
    if judges(version.prompt):
        run.options |= {"review": True, "review_max_fix_attempts": 0}
    return run


def _leave(trail: TrialTrail, end: Ending | Postponed) -> None:
    """The last write of this attempt."""
    free = {"lease": None, "lease_expires_at": None, "stage": "", "changed_at": Now(), "error": end.error}
    if isinstance(end, Postponed):
        log.warning("tried_run_postponed", code=end.error["code"])
        trail.write(status=Status.QUEUED, next_attempt_at=end.until, attempts=end.attempts, **free)
        return
    trail.write(status=end.status, judge_outcome=end.judge_outcome, finished_at=Now(), **free)
    log.info("tried_run_finished", status=end.status, outcome=end.judge_outcome)
