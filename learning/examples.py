"""The example of a prompt: the newest approved record of the same subcategory, redacted and cut to size."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from django.db.models import Exists, OuterRef, Subquery

from generation.flows.order import in_order, schema_of
from generation.guidance import Fragment
from generation.models import Draft, Run, Status
from generation.sanitizer import key_of, one_line
from generation.tokens import tokens_at_most
from learning.redaction import redacted
from review.models import Decision, ReviewEvent

log = structlog.get_logger(__name__)

PLACEHOLDER = "EXAMPLE_ITEM"
# How a record is made smaller, step by step: longest string, most parts of a list. The first that fits is taken.
SIZES = ((2000, 100), (300, 100), (300, 12), (300, 8), (150, 8), (150, 5), (80, 5), (80, 3), (40, 3), (40, 1))


@dataclass(frozen=True)
class Example:
    run_id: UUID
    text: str  # one line of valid JSON
    event_id: int  # the review that approved the record

    @property
    def fragment(self) -> Fragment:
        return Fragment(PLACEHOLDER, self.text, "example", evidence=(self.event_id,), run=self.run_id)


def find(flow: str, subcategory_id: int, *, but: UUID | None, budget: int, tokens: int) -> Example | None:
    """The example for a run; None where no approved record qualifies or none fits. One query on its index."""
    record = (
        Draft.objects.filter(run=OuterRef("pk"), revision=OuterRef("revision")).order_by().values("content")[:1]
    )
    approval = ReviewEvent.objects.filter(pk=OuterRef("last_review_event_id"), decision=Decision.APPROVE)
    runs = (
        Run.objects.reviewed()
        .filter(flow=flow, subcategory=subcategory_id, status=Status.APPROVED, last_reviewed_at__isnull=False)
        .filter(
            Exists(approval)
        )  # and not a service, or a review that was left out since, after a person's revise
        .order_by("-last_reviewed_at", "-id")
    )
    if but is not None:
        runs = runs.exclude(pk=but)
    newest = runs.annotate(record=Subquery(record)).values_list("pk", "record", "last_review_event_id").first()
    if newest is None:
        log.info("example_fell_back", why="no approved record")
        return None
    run_id, content, event_id = newest
    text = as_text(in_order(content, schema_of(flow)) if isinstance(content, dict) else content, budget, tokens)
    if text is None or event_id is None:
        log.info("example_fell_back", why="no record that fits", budget=budget)
        return None
    log.info("example_chosen", chars=len(text))
    return Example(run_id, text, event_id)


def as_text(content: Any, budget: int, tokens: int) -> str | None:
    """The record as JSON within both budgets (characters; tokens at most): strings shortened, lists cut at
    their end.
    """
    if not isinstance(content, dict) or not content:
        return None
    clean = _sanitized(redacted(content))
    for longest, most in SIZES:
        text = json.dumps(_smaller(clean, longest, most), ensure_ascii=False)
        if len(text) <= budget and tokens_at_most(text) <= tokens:
            return text
    return None


def _sanitized(value: Any) -> Any:
    longest, most = SIZES[0]
    if isinstance(value, str):
        return one_line(value, longest)
    if isinstance(value, list):
        return [_sanitized(part) for part in value[:most]]
    if isinstance(value, dict):
        return {key_of(str(key)): _sanitized(part) for key, part in value.items()}
    return value


def _smaller(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[: longest - 1].rstrip()}…"
    if isinstance(value, list):
        return [_smaller(part, longest, most) for part in value[:most]]
    if isinstance(value, dict):
        return {key: _smaller(part, longest, most) for key, part in value.items()}
    return value
