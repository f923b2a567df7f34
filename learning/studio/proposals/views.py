"""The pages of proposals, inside the administration's frame."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from generation.errors import BadInput, Conflict
from generation.money import dollars
from generation.prompts import Overtaken
from generation.reasons import plain
from learning.models import Proposal
from learning.models.proposal import LONGEST_TEXT, LONGEST_WHY
from learning.studio.proposals import deciding, pages
from learning.studio.proposals.placing import Place
from review.views.access import Request

VIEW, DECIDE, WRITE = "learning.view_proposal", "learning.change_proposal", "generation.change_prompt"
View = Callable[..., HttpResponse]
# Why an answer became no text; other codes are a provider's.
FAILURES = {
    "empty": _("The answer held no text"),
    "too_short": _("The answer was too short"),
    "too_long": _("The answer was too long"),
    "placeholder": _("The answer held a placeholder"),
    "not_plain": _("The answer was no plain text"),
}


def in_admin(*permissions: str) -> Callable[[View], View]:
    """For admins who have all of these permissions; signing in is administration's matter."""

    def wrapped(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perms(permissions):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return admin.site.admin_view(guarded)

    return wrapped


class AcceptForm(forms.Form):
    text = forms.CharField(
        label=_("What the prompt shall say"), max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3})
    )
    place = forms.ChoiceField(label=_("Where"), choices=Place.choices, widget=forms.RadioSelect)
    note = forms.CharField(label=_("Note"), max_length=300)
    live_seen = forms.IntegerField(widget=forms.HiddenInput)

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n").strip()


class DeclineForm(forms.Form):
    why = forms.CharField(label=_("Why not"), max_length=LONGEST_WHY)


@require_safe
@in_admin(VIEW)
def proposals(request: HttpRequest) -> HttpResponse:
    before = request.GET.get("before", "")
    found = pages.listed(int(before) if before.isdecimal() and len(before) < 19 else None)
    return _shown(request, "list.html", {"title": translate("Proposals"), "page": found, "is_first": not before})


@require_safe
@in_admin(VIEW)
def proposal(request: HttpRequest, proposal_id: int) -> HttpResponse:
    return _page(request, _read(proposal_id))


@require_POST
@in_admin(VIEW)
def proposal_change(request: HttpRequest, proposal_id: int) -> HttpResponse:
    """The diff of the prompt for what stands in the form now."""
    page = _read(proposal_id)
    text, place = request.POST.get("text", ""), request.POST.get("place", "")
    found = pages.change(page.live, page.proposal.stage, text.replace("\r\n", "\n")[:LONGEST_TEXT], place)
    return TemplateResponse(request, "admin/studio/proposals/_change.html", {"change": found})


@require_POST
@in_admin(VIEW, DECIDE, WRITE)
def accept(request: Request, proposal_id: int) -> HttpResponse:
    page = _read(proposal_id)
    form = AcceptForm(request.POST)
    if not form.is_valid():
        return _page(request, page, form=form, status=422)
    try:
        version = deciding.accept(page.proposal, by=request.user, **form.cleaned_data)
    except BadInput as refusal:
        for problem in refusal.problems:
            form.add_error("text", problem.detail)
        return _page(request, page, form=form, status=422)
    except Overtaken as refusal:
        number = {"number": refusal.version.number}
        told = translate("Version %(number)d went live meanwhile. Look at the change again: it is shown for it.")
        messages.warning(request, told % number)
        form.data = request.POST.copy()
        form.data["live_seen"] = str(refusal.version.number)
        return _page(request, _read(proposal_id), form=form, status=409)
    except Conflict as refusal:
        messages.warning(request, str(refusal))
        return redirect("studio:proposal", proposal_id)
    said = translate("Saved version %(number)d of proposal %(proposal)d.")
    _logged(request.user, version.prompt, said % {"number": version.number, "proposal": proposal_id})
    messages.success(request, translate("Version %d is saved. It is not live yet.") % version.number)
    return redirect("admin:generation_prompt_version", version.prompt_id, version.number)


@require_POST
@in_admin(VIEW, DECIDE)
def decline(request: Request, proposal_id: int) -> HttpResponse:
    page = _read(proposal_id)
    form = DeclineForm(request.POST)
    if not form.is_valid():
        return _page(request, page, declining=form, status=422)
    try:
        deciding.decline(page.proposal, by=request.user, why=form.cleaned_data["why"])
    except Conflict as refusal:
        messages.warning(request, str(refusal))
        return redirect("studio:proposal", proposal_id)
    messages.success(request, translate("Declined. It comes back only when enough new reviews speak for it."))
    return redirect("studio:proposals")


def _read(proposal_id: int) -> pages.Page:
    found = get_object_or_404(Proposal.objects.select_related("subcategory"), pk=proposal_id)
    try:
        return pages.page(found)
    except BadInput:  # its flow or stage is not installed any more
        raise Http404 from None


def _page(
    request: HttpRequest,
    page: pages.Page,
    *,
    form: AcceptForm | None = None,
    declining: DeclineForm | None = None,
    status: int = 200,
) -> HttpResponse:
    found = page.proposal
    form = form or AcceptForm(
        initial={
            "text": page.decision.text if page.decision and page.decision.text else found.text,
            "place": page.places[0],
            "note": translate("Proposal %(id)d: %(cause)s") % {"id": found.pk, "cause": page.entry.sentence[:260]},
            "live_seen": page.live.number,
        }
    )
    form.fields["place"].choices = [(place.value, place.label) for place in page.places]  # type: ignore[attr-defined]
    may_decide = request.user.has_perm(DECIDE)
    context = {
        "title": page.entry.title,
        "page": page,
        "proposal": found,
        "form": form,
        "declining": declining or DeclineForm(),
        "cost": dollars(found.cost_usd),
        "failure": FAILURES.get(found.failure) or plain(found.failure),
        "change": pages.change(page.live, found.stage, form["text"].value() or "", form["place"].value() or ""),
        "may_accept": may_decide and request.user.has_perm(WRITE),
        "may_decline": may_decide,
    }
    return _shown(request, "proposal.html", context, status)


def _shown(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    here = {"nav_url": reverse("admin:learning_proposal_changelist")}  # what the navigation marks
    whole = {**admin.site.each_context(request), **here, **context}
    return TemplateResponse(request, f"admin/studio/proposals/{template}", whole, status=status)


def _logged(user: User, prompt: Any, message: str) -> None:
    """As administration logs a new version that was written in its editor."""
    LogEntry.objects.log_actions(user.pk, [prompt], CHANGE, message, single_object=True)
