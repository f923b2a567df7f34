"""Parts that the review pages load: what a review moved, and what learning put into a run's prompts."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from generation.models import Call, Run, Status
from learning.annotate import Annotated, annotate, evidence_of, segments_of
from learning.strips import Strip, strips
from learning.switches import is_off
from learning.triggers import decide
from learning.window import window
from review.models import ReviewEvent
from review.views.access import Request


@dataclass(frozen=True)
class After:
    """The strips of the run's subcategory with the run's own cell marked; those that it raised come first."""

    run: Run
    moved: list[Strip]
    low_confidence: bool
    off: bool


@dataclass(frozen=True)
class Sent:
    """One call's prompt as it was sent."""

    call: Call
    annotated: Annotated


@dataclass(frozen=True)
class RunLearning:
    run: Run
    sent: list[Sent]

    @property
    def injected(self) -> int:
        return sum(sent.annotated.fragments for sent in self.sent)


def rounds_open_to(request: Request, run: Run) -> set[int]:
    """Rounds whose prompts may be shown: all once it is decided, else those that one has reviewed oneself.

    Whoever still has to judge a round must not know what its prompt said.
    """
    if run.status in (Status.APPROVED, Status.REJECTED):
        return set(range(1, run.round + 1))
    own = ReviewEvent.objects.standing().filter(run=run, reviewer=request.user)
    return set(own.values_list("round", flat=True))


@require_safe
def after_review(request: Request, run_id: UUID) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("subcategory"), pk=run_id)
    if not rounds_open_to(request, run):
        return _quiet(request, _("What learning makes of it is shown once you have reviewed it."))
    if run.subcategory is None:
        return _quiet(request, _("Without a subcategory a run teaches nothing."))
    seen = window(run.flow, run.subcategory_id)
    triggers = decide(seen)
    found = strips(seen, triggers, new=run.pk)
    after = After(
        run=run,
        moved=[strip for strip in found if strip.moved],
        low_confidence=triggers.low_confidence,
        off=is_off(run.subcategory_id),
    )
    return render(request, "learning/_after.html", {"after": after})


@require_safe
def run_learning(request: Request, run_id: UUID) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("subcategory"), pk=run_id)
    rounds = rounds_open_to(request, run)
    if not rounds:
        return _quiet(request, _("Prompt, guidance and window are shown once you have submitted."))
    calls = run.calls.filter(round__in=rounds).select_related("prompt_version__prompt")
    calls = calls.prefetch_related("injections").order_by("id")
    cut = [(call, *segments_of(call)) for call in calls]
    fragments = [s.fragment for _call, system, user in cut for s in (*system, *user) if s.fragment]
    known = evidence_of(fragments)
    page = RunLearning(
        run=run,
        sent=[
            Sent(call, annotate(run.flow, system, user, _state(run, call), known)) for call, system, user in cut
        ],
    )
    return render(request, "learning/_run.html", {"page": page})


def _state(run: Run, call: Call) -> dict[str, Any] | None:
    """The triggers as the call found them: the run keeps those of its newest round alone."""
    return run.trigger_state if call.round == run.round else None


def _quiet(request: Request, text: str) -> HttpResponse:
    return render(request, "learning/_quiet.html", {"text": text})
