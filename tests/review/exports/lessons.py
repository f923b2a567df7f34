"""Runs with a trail as the worker leaves it, then reviewed in the product's own way."""

from typing import Any

from django.contrib.auth.models import User

from generation.models import Call, Draft, Judgement, Prompt, PromptVersion, Run, Status
from review import recording
from review.recording import Fields
from tests.factories import RunFactory, UserFactory

RECORD = {
    "name": "Drill", "description": "A drill.", "dimensions": {}, "sources": [],
    "specifications": [{"name": "voltage", "value": 18, "unit": "V"}],
}  # fmt: skip


def version(flow: str, stage: str) -> PromptVersion:
    prompt = Prompt.objects.get_or_create(flow=flow, stage=stage)[0]
    return PromptVersion.objects.get_or_create(prompt=prompt, number=1, defaults={"user": "<<SOURCE>>"})[0]


def generated(record: Any = None, *, fixed: Any = None, judged: str = "passed", **fields: Any) -> Run:
    """A run awaiting review; with `fixed` its first draft was failed, and a second one was made."""
    run: Run = RunFactory(
        **{"status": Status.AWAITING_REVIEW, "revision": 2 if fixed else 1, "model": "demo"} | fields
    )
    drafts = [record or RECORD, *([fixed] if fixed else [])]
    for cycle, content in enumerate(drafts, 1):
        made = Draft.objects.create(run=run, revision=cycle, content=content, made_by="extraction")
        call(run, "extraction", cycle=cycle, answer=f"answer {cycle}")
        asked = call(run, "supervisor", cycle=cycle, answer="PASS" if cycle == len(drafts) else "FAIL")
        outcome = judged if cycle == len(drafts) else "failed"
        Judgement.objects.create(
            run=run, draft=made, call=asked, round=1, cycle=cycle, kind="supervisor", outcome=outcome,
            result={"feedback": "as it says", "findings": []},
        )  # fmt: skip
    return run


def call(run: Run, stage: str, *, round: int = 1, cycle: int = 1, answer: str = "", **fields: Any) -> Call:
    place = f"{stage} {round}.{cycle}"
    return Call.objects.create(
        **{"run": run, "round": round, "cycle": cycle, "stage": stage, "provider": "demo", "model": "demo",
           "system": f"system {place}", "user": f"user {place}", "answer": answer,
           "prompt_version": version(run.flow, stage)} | fields
    )  # fmt: skip


def reviewed(run: Run, decision: str = "approve", by: User | None = None, **fields: Any) -> Run:
    return recording.submit(run.pk, Fields(decision, **fields), reviewer=by or UserFactory()).run


def next_round(run: Run, record: Any) -> Run:
    """What the worker does after a `revise`."""
    run.refresh_from_db()
    newest = Draft.objects.create(
        run=run, revision=run.revision + 1, round=run.round, content=record, made_by="extraction"
    )
    call(run, "extraction", round=run.round, answer="again")
    Judgement.objects.create(run=run, draft=newest, round=run.round, cycle=1, kind="supervisor", outcome="passed")
    Run.objects.filter(pk=run.pk).update(revision=newest.revision, status=Status.AWAITING_REVIEW)
    run.refresh_from_db()
    return run
