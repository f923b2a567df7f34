"""Subcategories whose reviewers keep saying the same, as rows: runs, the guidance their prompts held, reviews."""

from typing import Any

from django.utils import timezone

from generation.models import Call, Injection, Run, Subcategory
from generation.sanitizer import quote
from learning.resolver import LABELS
from review.models import ReviewEvent
from tests.factories import DraftFactory, RunFactory
from tests.learning.histories import said

SIZES = {"wrong_physical_dimensions": True, "decision": "revise", "notes": "length in cm read as mm"}
CHARGING = {"missing_spec": ["charging time"], "decision": "revise"}
GUIDANCE = "Reviewers found wrong dimensions. Check each one."
ASKING = f"Reviewers missed these:\n{quote(LABELS['names'], '- charging time')}"


def told(run: Run, key: str, text: str = "", *, round: int = 1) -> Call:
    """A call of the run whose prompt held this guidance."""
    call = Call.objects.create(run=run, round=round, stage=key.rsplit(".", 1)[-1], provider="demo", attempt=1)
    Injection.objects.create(
        call=call, placeholder="EXTRACTION_REVIEW", guidance_key=key, text=text or GUIDANCE, reason="x"
    )
    return call


def run_of(
    subcategory: Subcategory, *reviews: dict[str, Any], key: str = "", text: str = "", **fields: Any
) -> Run:
    run: Run = RunFactory(subcategory=subcategory, **fields)
    DraftFactory(run=run)
    if key:
        told(run, key, text)
    for review in reviews:
        said(run, **{"created_at": timezone.now()} | review)
    return run


def came_back(subcategory: Subcategory, raised: int = 3, of: int = 10) -> list[Run]:
    """Runs whose prompts held the guidance on sizes; so many raised it again, the first ones."""
    key = "wrong_physical_dimensions.extraction"
    return [run_of(subcategory, SIZES if n < raised else {}, key=key) for n in range(of)]


def still_missing(subcategory: Subcategory, raised: int = 3, of: int = 10) -> list[Run]:
    return [
        run_of(subcategory, CHARGING if n < raised else {}, key="missing_spec.extraction", text=ASKING)
        for n in range(of)
    ]


def stayed_on(subcategory: Subcategory, runs: int = 20, every: int = 2) -> list[Run]:
    """Every second run raised wrong sizes; nothing was ever told."""
    return [run_of(subcategory, SIZES if n % every == 0 else {}) for n in range(runs)]


def events_of(*runs: Run) -> list[int]:
    return list(ReviewEvent.objects.filter(run__in=runs).order_by("id").values_list("pk", flat=True))
