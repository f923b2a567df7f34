"""The part that the pages of runs load: what learning put into a run's prompts."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from generation.models import Call, Run
from learning.annotate import Annotated, annotate, evidence_of, segments_of
from review.blindness import open_rounds
from review.views.access import Request, reader_required


@dataclass(frozen=True)
class Sent:
    """One call's prompt as it was sent."""

    call: Call
    annotated: Annotated


@dataclass(frozen=True)
class RunLearning:
    run: Run
    sent: list[Sent]
    fell_back: list[str]  # steps of the newest round, where it may be shown

    @property
    def injected(self) -> int:
        return sum(sent.annotated.fragments for sent in self.sent)


@require_safe
@reader_required
def run_learning(request: Request, run_id: UUID) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("subcategory"), pk=run_id)
    rounds = open_rounds(request.user, run)
    if not rounds:
        return _quiet(request, _("Prompt, guidance and window are shown once you have submitted."))
    calls = run.calls.filter(round__in=rounds).select_related("prompt_version__prompt")
    calls = calls.prefetch_related("injections").order_by("id")
    cut = [(call, *segments_of(call)) for call in calls]
    fragments = [s.fragment for _call, system, user in cut for s in (*system, *user) if s.fragment]
    known = evidence_of(fragments)
    page = RunLearning(
        run=run,
        fell_back=run.degradations if run.round in rounds else [],
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
