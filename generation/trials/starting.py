"""Starting a trial, what it will cost, and stopping it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import structlog
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import spend
from generation.errors import BadInput
from generation.flows import flow as flow_named
from generation.flows.base import Stage
from generation.models import JudgeOutcome, PromptVersion, Run, Status, Subcategory, Trial, TriedRun
from generation.models.run import IN_PROGRESS
from generation.prompts import version_for
from generation.providers.base import Usage
from generation.trials.past import MOST, Past, Sums, past
from generation.trials.stages import judges

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Estimate:
    """usd: what each run's calls would cost today, by its id; runs of which no call is known stand for the rest
    at the mean of the others. total: None where nothing is known of any."""

    usd: dict[uuid.UUID, Decimal]
    total: Decimal | None


def estimate(version: PromptVersion, runs: Sequence[Run], made: dict[uuid.UUID, Past] | None = None) -> Estimate:
    """As many tokens as each run's first round took, at today's prices and models."""
    made = past(run.pk for run in runs) if made is None else made
    models = {stage.name: _model(version, stage) for stage in flow_named(version.prompt.flow).stages.values()}
    known = {run.pk: _cost(version, made[run.pk], models) for run in runs if made[run.pk].asked}
    if not known:
        return Estimate({}, Decimal(0) if settings.FOLDBACK_PROVIDER == "demo" else None)
    return Estimate(known, (sum(known.values(), Decimal(0)) / len(known) * len(runs)).quantize(spend.SMALLEST))


def _model(version: PromptVersion, stage: Stage) -> str:
    """As `Work` chooses it."""
    tried = version if version.prompt.stage == stage.name else None
    named = tried.model if tried else version_for(version.prompt.flow, stage.name, {}).model
    judging = settings.FOLDBACK_JUDGE_MODEL if stage.judges else ""
    return named or judging or settings.FOLDBACK_MODEL


def _cost(version: PromptVersion, made: Past, models: dict[str, str]) -> Decimal:
    stages = flow_named(version.prompt.flow).stages
    only = version.prompt.stage if judges(version.prompt) else ""
    return sum(
        (
            _price(stages.get(stage), sums, models.get(stage, ""), once=bool(only))
            for stage, sums in made.asked.items()
            if not only or stage == only
        ),
        Decimal(0),
    )


def _price(stage: Stage | None, sums: Sums, model: str, *, once: bool) -> Decimal:
    """once: one call of them. An agent program says itself what it costs: as much as then."""
    if settings.FOLDBACK_PROVIDER == "demo":
        return Decimal(0)
    cost = sums.cost_usd
    if settings.FOLDBACK_PROVIDER == "anthropic" and stage is not None and not stage.agent:
        cost = spend.cost("anthropic", model, Usage(sums.fresh, sums.output_tokens, sums.read, sums.written))
        if stage.searches:
            cost = max(cost, sums.cost_usd)  # searches cost, too, and no call keeps how many there were
    return cost / sums.calls if once else cost


def start(version: PromptVersion, subcategory: Subcategory, runs: Sequence[Run], by: AbstractBaseUser) -> Trial:
    """Keep the trial, and have its runs made anew in the background. BadInput where they cannot be."""
    made = past(run.pk for run in runs)
    _check(version, subcategory, runs, made)
    with transaction.atomic():
        trial = Trial.objects.create(
            version=version,
            subcategory=subcategory,
            by=by,  # type: ignore[misc]
            estimate_usd=estimate(version, runs, made).total,
        )
        tried = TriedRun.objects.bulk_create(
            TriedRun(
                trial=trial,
                run=run,
                position=position,
                subcategory_id=run.subcategory_id,
                drafts=_given(made[run.pk]) if judges(version.prompt) else [],
            )
            for position, run in enumerate(runs, start=1)
        )
        ids = [one.pk for one in tried]
        transaction.on_commit(lambda: _enqueue(ids), robust=True)  # where that fails, the sweep finds them
    log.info(
        "trial_started", trial=str(trial.pk), prompt=version.prompt_id, version=version.number, runs=len(runs)
    )
    return trial


def _check(
    version: PromptVersion, subcategory: Subcategory, runs: Sequence[Run], made: dict[uuid.UUID, Past]
) -> None:
    if not 1 <= len(runs) <= MOST:
        raise BadInput.at("/runs", _("Choose one run at least, and %d at most.") % MOST)
    if any(run.flow != version.prompt.flow or run.subcategory_id != subcategory.pk for run in runs):
        raise BadInput.at("/runs", _("Choose runs of this prompt’s flow and this subcategory."))
    if any(run.is_in_progress or made[run.pk].draft is None for run in runs):
        raise BadInput.at("/runs", _("Choose runs that have a record of their first round."))


def _given(made: Past) -> list[dict[str, object]]:
    """The record that a judge is asked about."""
    draft = made.draft
    assert draft is not None, "checked before"
    return [{"revision": 1, "content": draft.content, "findings": draft.findings, "made_by": draft.made_by}]


def _enqueue(ids: list[int]) -> None:
    for tried_id in ids:
        current_app.send_task("generation.tasks.try_run", [tried_id])


def stop(trial: Trial) -> int:
    """End what is not over yet; how many runs that were. What is being asked at this moment is paid for still."""
    with transaction.atomic():
        stopped = TriedRun.objects.filter(trial=trial, status__in=IN_PROGRESS).update(
            status=Status.STOPPED,
            judge_outcome=JudgeOutcome.SKIPPED,
            error={"code": "cancelled", "detail": "stopped by a person"},
            lease=None,
            lease_expires_at=None,
            stage="",
            changed_at=Now(),
            finished_at=Now(),
        )
        if stopped:
            Trial.objects.filter(pk=trial.pk).update(stopped_at=Now())
    log.info("trial_stopped", trial=str(trial.pk), runs=stopped)
    return stopped
