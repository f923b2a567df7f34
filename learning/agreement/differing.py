"""Runs of which people said different things, newest first: decided ones, since others may still be reviewed."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import OuterRef, Subquery
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.models import Run, Status
from learning.agreement import counts
from learning.models import AgreementFact
from review.words import DECISIONS

PER_PAGE = 20


@dataclass(frozen=True)
class Apart:
    """One run, and what people said: "1 approved and 1 sent back"; of several rounds the first pattern."""

    run: Run
    said: str


@dataclass(frozen=True)
class Differing:
    runs: list[Apart]
    behind: str  # the key of the next ones, empty where there are none


def differing(flow: str, what: str, *, behind: str = "") -> Differing:
    """One page: an index of what differs, from a key on."""
    # Each looked up by itself: joined, the planner may walk through all runs between two that differ.
    status = Run.objects.filter(pk=OuterRef("run_id")).order_by().values("status")
    facts = AgreementFact.objects.filter(flow=flow, what=what, differs=True)
    facts = facts.alias(status=Subquery(status)).filter(status__in=[Status.APPROVED, Status.REJECTED])
    if key := _key(behind):
        facts = facts.filter(run_id__lt=key)
    rows = list(facts.order_by("-run_id", "pattern")[: PER_PAGE + 1])
    shown = {row.run_id: row for row in reversed(rows[:PER_PAGE])}
    runs = Run.objects.select_related("subcategory").in_bulk(list(shown))
    found = [Apart(runs[pk], said(what, row.pattern)) for pk, row in reversed(shown.items())]
    return Differing(found, str(rows[PER_PAGE - 1].run_id) if len(rows) > PER_PAGE else "")


def _key(behind: str) -> UUID | None:
    try:
        return UUID(behind)
    except ValueError:
        return None


def said(what: str, pattern: list[int]) -> str:
    """ "2 approved and 1 rejected", "1 yes and 1 no": the most said first."""
    words = {**DECISIONS, "yes": _("yes"), "no": _("no")}
    told = sorted(zip(pattern, counts.WHAT[what], strict=True), key=lambda one: -one[0])
    parts = [
        ngettext("%(count)d %(value)s", "%(count)d %(value)s", count) % {"count": count, "value": words[value]}
        for count, value in told
        if count
    ]
    return str(get_text_list(parts, _("and")))
