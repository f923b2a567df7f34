"""One guidance text: its versions, what is live since when, and what it does to its prompt before it is."""

from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from generation.errors import Conflict
from generation.models import Prompt, Subcategory
from generation.wording import Words, marked
from learning import guidance
from learning.models import Guidance, GuidanceMove, GuidanceVersion
from learning.studio.effect import Effect, effect
from learning.studio.frame import allowed, framed
from learning.studio.influence import NAV, Entry, dead

CHANGE = "learning.change_guidance"


class WordingForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=guidance.LONGEST,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "true"}),
    )
    note = forms.CharField(label=gettext_lazy("What changes, and why"), required=False, max_length=300)
    newest = forms.IntegerField(required=False, widget=forms.HiddenInput)


class WhyForm(forms.Form):
    why = forms.CharField(label=gettext_lazy("Why"), max_length=300)


@dataclass(frozen=True)
class TextPage:
    """One line's text; version: the one in view, None in the editor."""

    row: Guidance
    entry: Entry
    versions: list[GuidanceVersion]
    moves: list[GuidanceMove]
    places: list[Subcategory]
    version: GuidanceVersion | None = None

    @property
    def title(self) -> str:
        return f"{self.entry.cause}, {self.entry.stage_label}"

    @property
    def next_number(self) -> int:
        return self.newest + 1

    @property
    def newest(self) -> int:
        return self.versions[0].number if self.versions else 1

    @property
    def shipped(self) -> str:
        return self.entry.line.text if self.entry.line else ""

    @property
    def against_shipped(self) -> list[Words]:
        return list(marked(self.shipped, self.row.text))

    @property
    def live_number(self) -> int | None:
        return self.row.live.number if self.row.live else None

    @classmethod
    def read(cls, row: Guidance, version: GuidanceVersion | None = None) -> "TextPage":
        """Six queries, however many versions there are."""
        line = guidance.line_of(row)
        prompt = (
            Prompt.objects.select_related("live").filter(flow=row.flow, stage=line.stage if line else "").first()
        )
        versions = list(row.versions.select_related("author")[:50])
        return cls(
            row=row,
            entry=Entry(row.flow, line, row, len(versions), dead(line, prompt) if line else None),
            versions=versions,
            moves=list(row.moves.select_related("from_version", "to_version", "by")[:20]),
            places=list(Subcategory.objects.order_by("name", "pk")[:200]),
            version=version,
        )


def _row(row_id: int) -> Guidance:
    return get_object_or_404(Guidance.objects.select_related("live"), pk=row_id)


def _may_change(request: HttpRequest) -> None:
    if not request.user.has_perm(CHANGE):
        raise PermissionDenied


@require_http_methods(["GET", "HEAD", "POST"])
@allowed("learning.view_guidance")
def text(request: HttpRequest, row_id: int) -> HttpResponse:
    """The editor: what is sent becomes a new version, not yet live; nothing that exists is changed."""
    row = _row(row_id)
    page = TextPage.read(row)
    start = row.text
    if (number := request.GET.get("from", "")).isdecimal():
        start = get_object_or_404(row.versions, number=int(number)).text
    form = WordingForm(request.POST or None, initial={"text": start, "newest": page.newest})
    if request.method == "POST":
        _may_change(request)
        if form.is_valid():
            return _saved(request, row, form.cleaned_data)
    shown = form["text"].value() or ""
    context = {"page": page, "form": form, "effect": _effect(row, shown, None)}
    return _framed(request, "text.html", context, status=422 if form.errors else 200)


def _saved(request: HttpRequest, row: Guidance, said: dict[str, Any]) -> HttpResponse:
    meanwhile = list(row.versions.filter(number__gt=said["newest"] or 0).select_related("author"))
    author = cast(User, request.user)
    version = guidance.save_version(row, said["text"], author=author, note=said["note"])
    messages.success(request, _("Version %d is saved. It is not live yet.") % version.number)
    if said["newest"] and meanwhile:
        messages.warning(
            request,
            _("While you wrote, %(who)s saved version %(number)d. Both are kept: compare them first.")
            % {"who": meanwhile[0].author or "?", "number": meanwhile[0].number},
        )
    return redirect("studio:guidance_version", row.pk, version.number)


@require_safe
@allowed("learning.view_guidance")
def version(request: HttpRequest, row_id: int, number: int) -> HttpResponse:
    """One version against the live one, or by `?against=` any other."""
    row = _row(row_id)
    return _version_page(
        request, row, get_object_or_404(row.versions.select_related("author"), number=number), WhyForm()
    )


def _version_page(
    request: HttpRequest, row: Guidance, found: GuidanceVersion, form: WhyForm, status: int = 200
) -> HttpResponse:
    page = TextPage.read(row, found)
    other = row.live
    if (number := request.GET.get("against", "")).isdecimal():
        other = get_object_or_404(row.versions, number=int(number))
    compared = other is not None and other.pk != found.pk
    context = {
        "page": page,
        "form": form,
        "other": other if compared else None,
        "words": list(marked(other.text, found.text)) if compared and other else [],
        "effect": _effect(row, found.text, None),
    }
    return _framed(request, "version.html", context, status=status)


@require_POST
@allowed(CHANGE)
def live(request: HttpRequest, row_id: int, number: int) -> HttpResponse:
    row = _row(row_id)
    found = get_object_or_404(row.versions, number=number)
    form = WhyForm(request.POST)
    if not form.is_valid():
        return _version_page(request, row, found, form, status=422)
    try:
        guidance.make_live(found, by=cast(User, request.user), why=form.cleaned_data["why"])
    except Conflict as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("Version %d is live: the next call is sent with it.") % number)
    return redirect("studio:guidance", row.pk)


@require_POST
@allowed(CHANGE)
def turn(request: HttpRequest, row_id: int) -> HttpResponse:
    """`enabled` on or off, with a `why`."""
    row, form = _row(row_id), WhyForm(request.POST)
    enabled = request.POST.get("enabled") == "on"
    if not form.is_valid():
        messages.error(request, _("Nothing was switched: say why, in up to 300 characters."))
        return redirect("studio:guidance", row.pk)
    try:
        guidance.turn(row, enabled=enabled, by=cast(User, request.user), why=form.cleaned_data["why"])
    except Conflict as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("It speaks again.") if enabled else _("It is silent from now on."))
    return redirect("studio:guidance", row.pk)


@require_POST
@allowed(CHANGE)
def restore(request: HttpRequest, row_id: int) -> HttpResponse:
    row = _row(row_id)
    try:
        guidance.restore(row, by=cast(User, request.user))
    except Conflict as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("The shipped text is live again."))
    return redirect("studio:guidance", row.pk)


@require_POST
@allowed("learning.view_guidance")
def shown(request: HttpRequest, row_id: int) -> HttpResponse:
    """What the `text` that is being written does to the prompt of a subcategory, or of none."""
    row = _row(row_id)
    slug = request.POST.get("subcategory", "")
    place = get_object_or_404(Subcategory, slug=slug) if slug else None
    found = _effect(row, request.POST.get("text", "")[: guidance.LONGEST], place)
    if found is None:
        raise Http404
    return render(request, "admin/studio/influence/_effect.html", {"effect": found})


def _effect(row: Guidance, wording: str, place: Subcategory | None) -> Effect | None:
    line = guidance.line_of(row)
    return None if line is None else effect(row.flow, line, wording.replace("\r\n", "\n").strip() or "…", place)


def _framed(request: HttpRequest, template: str, context: dict[str, Any], status: int) -> HttpResponse:
    rights = {"may_change": request.user.has_perm(CHANGE)}
    return framed(request, f"influence/{template}", {**context, **rights}, under=reverse(NAV), status=status)
