"""Many runs at once: the question with the count, and how far it is."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from generation.errors import BadInput
from generation.reading import storable
from review import bulk as acts
from review.bulk import Kind, Wanted
from review.finding import Count
from review.models import BulkAct
from review.models.placement import LONGEST_WHY
from review.pages.chips import people
from review.views.access import Request, reviewer_required

MOST_CHOSEN = 1000  # rows that can be chosen one by one


@require_POST
@reviewer_required
def bulk(request: Request) -> HttpResponse:
    """Ask with the count; do it where that was confirmed."""
    back = reverse("queue") + "?" + request.POST.get("query", "").removeprefix("?")
    try:
        wanted = _wanted(request)
        wanted.check(request.user)
        count = wanted.count(request.user)
    except BadInput as problem:
        messages.warning(request, problem.problems[0].detail)
        return redirect(back)
    if not count.number:
        messages.warning(request, _("None of these runs is in a state that allows it."))
        return redirect(back)
    if "confirmed" not in request.POST:
        context: dict[str, Any] = {"wanted": wanted, "count": count, "question": question(wanted.kind, count)}
        context |= {"back": back, "query": request.POST.get("query", ""), "people": people()}
        return render(request, "review/bulk.html", context)
    total = count.number if not count.is_least else acts.AT_ONCE + count.number
    try:
        act = acts.start(wanted, request.user, total=total)
    except BadInput as problem:
        messages.warning(request, problem.problems[0].detail)
        return redirect(back)
    if act.finished_at is None:
        return redirect("queue-bulk-act", act.pk)
    messages.info(request, summary(act))
    return redirect(back)


@require_GET
@reviewer_required
def bulk_act(request: Request, act_id: int) -> HttpResponse:
    """How far an act is; the page asks again until it is done."""
    act = get_object_or_404(BulkAct, pk=act_id)
    if act.by != request.user and not request.user.is_superuser:
        raise PermissionDenied
    template = "review/_bulk_act.html" if request.htmx else "review/bulk_act.html"
    return render(request, template, {"act": act, "summary": summary(act)})


def _wanted(request: Request) -> Wanted:
    given = request.POST
    if given.get("act") not in Kind.values:
        raise BadInput.at("/act", _("Choose what to do."))
    try:
        runs = tuple(dict.fromkeys(UUID(run_id) for run_id in given.getlist("run")[:MOST_CHOSEN]))
    except ValueError:
        raise BadInput.at("/run", _("This is no run.")) from None
    return Wanted(
        kind=Kind(given["act"]),
        runs=() if "all" in given else runs,
        query=given.get("query", "").removeprefix("?") if "all" in given else None,
        person=storable(given.get("person", "")),
        why=storable(given.get("why", "")).strip()[:LONGEST_WHY],
    )


def question(kind: Kind, count: Count) -> str:
    one_or_more = {
        Kind.ASSIGN: ngettext("Assign %(count)s run?", "Assign %(count)s runs?", count.number),
        Kind.RETRY: ngettext("Retry %(count)s run?", "Retry %(count)s runs?", count.number),
        Kind.CANCEL: ngettext("Cancel %(count)s run?", "Cancel %(count)s runs?", count.number),
        Kind.SET_ASIDE: ngettext("Set %(count)s run aside?", "Set %(count)s runs aside?", count.number),
        Kind.PUT_BACK: ngettext("Put %(count)s run back?", "Put %(count)s runs back?", count.number),
    }
    return one_or_more[kind] % {"count": count}


def summary(act: BulkAct) -> str:
    words = {
        Kind.ASSIGN: ngettext("%(done)s run assigned", "%(done)s runs assigned", act.done),
        Kind.RETRY: ngettext("%(done)s run queued again", "%(done)s runs queued again", act.done),
        Kind.CANCEL: ngettext("%(done)s run cancelled", "%(done)s runs cancelled", act.done),
        Kind.SET_ASIDE: ngettext("%(done)s run set aside", "%(done)s runs set aside", act.done),
        Kind.PUT_BACK: ngettext("%(done)s run put back", "%(done)s runs put back", act.done),
    }
    done = words[Kind(act.kind)] % {"done": f"{act.done:,}"}
    if not act.refused:
        return done + "."
    left = ngettext("%(left)s was in no state for it", "%(left)s were in no state for it", act.refused)
    return f"{done}, {left % {'left': f'{act.refused:,}'}}."
