"""The change flow: implementer → reviewer ⇄ fixer, each with what was changed so far in a worktree of its own."""

from pathlib import Path
from typing import Any

from generation.flows.base import Flow, LoopPolicy, Made, NoDraft, Stage, Stopped
from generation.flows.change import source
from generation.flows.change.check import check
from generation.flows.change.record import Change
from generation.flows.change.shown import PARALLEL, change_text
from generation.judges import verdict
from generation.judges.base import Judged
from generation.models import Draft, Repository
from generation.prompts import resolves
from generation.providers.base import Workspace
from generation.reading import storable_json
from generation.work import Work

AGENTS = ("change", "fixer")


def make(work: Work, before: Draft | None, judged: Judged | None) -> Made:
    """The implementer at the beginning of a round, the fixer with what the reviewer asked for after it."""
    stage = "fixer" if judged else "change"
    call = work.ask(stage, draft=before, feedback=judged.feedback if judged else "", workspace=workspace(work))
    done = call.request.get("change")
    if done is None:
        raise NoDraft("no_change_kept", "what the agent changed is not there any more")
    if done["stop_marker"]:
        raise Stopped("stop_marker", f"the {work.flow.stages[stage].role} found nothing left to do")
    change = Change(
        repository=source.repository_of(work.run.source) or None,
        base=done["base"],
        files=done["files"],
        diff=done["diff"],
        output=call.answer,
    )
    return Made(storable_json(change.model_dump(mode="json")), stage, check(change, done))


def judge(work: Work, draft: Draft) -> Judged:
    return verdict.judge(work, draft, context=context(work), workspace=workspace(work, keeps=False))


def context(work: Work) -> str:
    """What the reviewer hears beside the change: which review it is, whose work it may be, the contract."""
    lines = [f"This is review {work.cycle} of the round."]
    if work.cycle > 1:
        lines.append(f"Fix {work.cycle - 1} was made after the last one, which asked for what the feedback says.")
    if work.run.batch is not None and work.run.batch.parallel:
        lines.append(PARALLEL)
    return "\n\n".join(("\n".join(lines), verdict.CONTRACT))


def workspace(work: Work, *, keeps: bool = True) -> Workspace:
    """The repository with what was changed in this run so far. Raises NoDraft where it is registered no more."""
    name = source.repository_of(work.run.source)
    repository = Repository.objects.filter(name=name).first() if name else None
    if name and repository is None:
        raise NoDraft("unknown_repository", f"no repository {name!r} is registered any more")
    path, branch = (repository.path, repository.branch) if repository else ("", "")
    done = _so_far(work)
    return Workspace(path, branch, base=done.get("base", ""), patch=done.get("patch", ""), keeps=keeps)


def _so_far(work: Work) -> dict[str, Any]:
    """What the last agent left that ended well. Its texts may have been forgotten since: then it begins anew."""
    last = work.last_call(*AGENTS)
    return (last.request.get("change") if last else None) or {}


def skips(work: Work) -> str:
    if source.bead_of(work.run.source) is None:
        return "no work item was picked"
    if not resolves(work.flow.name, "reviewer", work.run.options):
        return "the reviewer has no prompt"
    return ""


FLOW = Flow(
    name="change",
    label="Change",
    record=Change,
    source=source.Source,
    stages={
        "change": Stage(
            "change", "Change", required=("SOURCE",), role="implementer", agent=True, prompt_file="developer"
        ),
        "reviewer": Stage(
            "reviewer",
            "Reviewer",
            verdict.Verdict,
            required=("SOURCE", "DRAFT", "FEEDBACK"),
            judges=True,
            role="reviewer",
            prompt_file="reviewer",
        ),
        "fixer": Stage("fixer", "Fixer", required=("SOURCE", "DRAFT", "FEEDBACK"), role="fixer", agent=True),
    },
    policy=LoopPolicy(fixes=5, exhausted="failed", unavailable="fail", review=False),
    judge_kind="verdict",
    folder=Path(__file__).parent,
    title_of=source.title_of,
    render_source=source.render,
    make=make,
    judge=judge,
    sourced=(),
    correctable=(),  # what an agent did to a repository is done again, not written by hand
    skips=skips,
    repository_of=source.repository_of,
    render_draft=change_text,
)
