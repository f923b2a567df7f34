"""Drafts that a judge judged and a person reviewed without knowing its word."""

from collections.abc import Mapping
from typing import Any

from generation.models import Draft, Judgement, PromptVersion, Run
from review.models import ReviewEvent
from tests.factories import DraftFactory, RunFactory
from tests.learning.histories import said

BLIND = {"blind_to_judge": True, "reviews_needed": 1}  # null would be looked up


def criteria(**passed: bool) -> dict[str, Any]:
    """What a criteria judge said; all that is not named passed."""
    names = ("format", "hallucination", "fact_accuracy", "content_completeness")
    return {"criteria": [{"criterion": name, "passed": passed.get(name, True)} for name in names]}


def rubric(
    composite: float = 0.8, threshold: float = 0.7, *, valid: bool = True, **scores: float
) -> dict[str, Any]:
    """What a rubric judge said; dimensions that are not named have the composite."""
    names = ("clinical_accuracy", "pedagogical_alignment", "distractor_quality", "slo_coverage", "blooms_match")
    return {
        "dimensions": [{"name": name, "score": scores.get(name, composite)} for name in names],
        "composite_score": composite,
        "threshold": threshold,
        "validation": {"is_valid": valid},
    }


def judged(
    run: Run, outcome: str = "passed", *, kind: str = "supervisor", draft: Draft | None = None, **fields: Any
) -> Judgement:
    """One more judging of the run's round."""
    draft = draft or run.drafts.order_by("-revision").first() or DraftFactory(run=run)
    cycle = run.judgements.filter(round=fields.get("round", 1)).count() + 1
    fields = {"round": 1, "cycle": cycle, "model": "m", "result": {}} | fields
    return Judgement.objects.create(run=run, draft=draft, kind=kind, outcome=outcome, **fields)


def pair(
    outcome: str = "passed",
    review: Mapping[str, Any] | None = None,
    *,
    flow: str = "item",
    kind: str = "supervisor",
    result: Mapping[str, Any] | None = None,
    version: PromptVersion | None = None,
    model: str = "m",
    **run: Any,
) -> ReviewEvent:
    """A run that is decided, its one judgement, and a blind review of it; {} approves without a signal."""
    made: Run = RunFactory(**({"flow": flow, "status": "approved"} | BLIND | run))
    judgement = judged(made, outcome, kind=kind, result=dict(result or {}), prompt_version=version, model=model)
    return said(made, **({"blind": True, "blind_to_judge": True, "draft": judgement.draft} | dict(review or {})))
