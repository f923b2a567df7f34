"""Prompts: what is live, every version, and the two acts: save a new version, make one live."""

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, QuerySet, Subquery, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from generation import prompts
from generation.admin import prompt_checks
from generation.admin.base import Admin, FlowFilter
from generation.admin.prompt_forms import VersionForm, WhyForm
from generation.admin.prompt_versions import listing
from generation.errors import Conflict
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt, PromptMove, PromptVersion, Subcategory
from generation.placeholders import known
from generation.prompts import Overtaken
from generation.version_diff import VersionDiff


@admin.register(Prompt)
class PromptAdmin(Admin[Prompt]):
    """One list for all flows, grouped by flow, the stages as they follow one another."""

    list_display = ["stage_label", "live_number", "proposed", "versions_kept", "live_note"]
    list_display_links = ["stage_label"]
    list_filter = [("flow", FlowFilter)]
    list_select_related = ["live__prompt"]
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Prompt]:
        newer = PromptVersion.objects.filter(prompt=OuterRef("pk"), number__gt=OuterRef("live__number"))
        never_live = newer.filter(~Exists(PromptMove.objects.filter(to_version=OuterRef("pk"))))
        newest = never_live.order_by("-number").values("number")[:1]
        return super().get_queryset(request).annotate(kept=Count("versions"), waiting=Subquery(newest))

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        stages = [(name, stage) for name in FLOWS for stage in flow_named(name).stages]
        places = [When(flow=flow, stage=stage, then=place) for place, (flow, stage) in enumerate(stages)]
        return [Case(*places, default=len(stages), output_field=IntegerField()), "flow", "stage"]

    @admin.display(description=_("stage"))
    def stage_label(self, prompt: Prompt) -> str:
        stages = flow_named(prompt.flow).stages if prompt.flow in FLOWS else {}
        return stages[prompt.stage].label if prompt.stage in stages else prompt.stage

    @admin.display(description=_("live version"))
    def live_number(self, prompt: Prompt) -> int | str:
        return prompt.live.number if prompt.live else "–"

    @admin.display(description=_("proposed"))
    def proposed(self, prompt: Any) -> str:
        """The newest version that is newer than the live one and never was live."""
        if prompt.waiting is None:
            return "–"
        url = reverse("admin:generation_prompt_version", args=[prompt.pk, prompt.waiting])
        return format_html('<a href="{}">{}</a>', url, prompt.waiting)

    @admin.display(description=_("versions"))
    def versions_kept(self, prompt: Any) -> int:
        return int(prompt.kept)

    @admin.display(description=_("its note"))
    def live_note(self, prompt: Prompt) -> str:
        return (prompt.live.note if prompt.live else "") or "–"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # a stage has its prompt from the start

    def has_delete_permission(self, request: HttpRequest, obj: Prompt | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        def route(address: str, view: Any, name: str) -> URLPattern:
            guarded: Callable[..., HttpResponse] = self.admin_site.admin_view(view)
            return path(address, guarded, name=f"generation_prompt_{name}")

        return [
            route("<int:prompt_id>/check/", require_POST(self.check_view), "check"),
            route("<int:prompt_id>/versions/", self.versions_view, "versions"),
            route("<int:prompt_id>/versions/<int:number>/", self.version_view, "version"),
            route("<int:prompt_id>/versions/<int:number>/live/", require_POST(self.make_live_view), "make_live"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The editor: what is sent becomes a new version; nothing that exists is changed."""
        prompt = self._prompt(request, object_id)
        start = self._start(request, prompt)
        if request.method != "POST":
            return self._editor(request, prompt, start, VersionForm(initial=_opened(prompt, start)))
        if not self.has_change_permission(request, prompt):
            raise PermissionDenied
        form = VersionForm(request.POST)
        try:
            version = form.save(prompt, request.user) if form.is_valid() else None
        except Overtaken as told:
            return self._overtaken(request, prompt, start, form, told.version)
        if version is None:
            return self._editor(request, prompt, start, form, status=422)
        self.log_change(request, prompt, translate("Saved version %d.") % version.number)
        messages.success(request, translate("Version %d is saved. It is not live yet.") % version.number)
        return redirect("admin:generation_prompt_version", prompt.pk, version.number)

    def check_view(self, request: HttpRequest, prompt_id: int) -> HttpResponse:
        """While somebody types: what is wrong, how large it is, and what would change. Stores nothing."""
        prompt = self._prompt(request, prompt_id)
        subcategory = Subcategory.objects.filter(slug=request.POST.get("subcategory", "")).first()
        checked = prompt_checks.check(VersionForm(request.POST).as_typed(prompt), subcategory)
        context = {"checked": checked, "prompt": prompt, "swapped": True}
        return TemplateResponse(request, "admin/generation/prompt/_checks.html", context)

    def versions_view(self, request: HttpRequest, prompt_id: int) -> HttpResponse:
        """All versions, and of any two what differs: `?a=` and `?b=` their numbers."""
        prompt = self._prompt(request, prompt_id)
        context = {"page": listing(prompt, request.GET), "tab": "versions"}
        return self._page(request, prompt, "versions.html", context)

    def version_view(self, request: HttpRequest, prompt_id: int, number: int) -> HttpResponse:
        prompt = self._prompt(request, prompt_id)
        return self._version_page(request, prompt, _numbered(prompt, number))

    def make_live_view(self, request: HttpRequest, prompt_id: int, number: int) -> HttpResponse:
        prompt = self._prompt(request, prompt_id)
        version = _numbered(prompt, number)
        if not self.has_change_permission(request, prompt):
            raise PermissionDenied
        form = WhyForm(request.POST)
        if not form.is_valid():
            return self._version_page(request, prompt, version, form)
        try:
            prompts.make_live(
                version,
                by=cast(User, request.user),
                why=form.cleaned_data["why"],
                live_seen=form.cleaned_data["live"],
            )
        except Overtaken as told:
            prompt.refresh_from_db()
            typed = WhyForm(initial={"why": form.cleaned_data["why"], "live": told.version.number})
            return self._version_page(request, prompt, version, typed, overtaken=prompt.moves.first())
        except Conflict as refusal:
            messages.warning(request, str(refusal))
            return redirect("admin:generation_prompt_version", prompt.pk, number)
        self.log_change(request, prompt, translate("Made version %d live.") % number)
        messages.success(request, translate("Version %d is live: the next call is sent with it.") % number)
        return redirect("admin:generation_prompt_versions", prompt.pk)

    def _editor(
        self,
        request: HttpRequest,
        prompt: Prompt,
        start: PromptVersion,
        form: VersionForm,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        chosen = request.POST.get("subcategory") or request.GET.get("subcategory")
        subcategory = (
            Subcategory.objects.filter(slug=chosen).first() if chosen else prompt_checks.usual(prompt.flow)
        )
        typed = form.as_typed(prompt) if form.is_bound else start
        context = {
            "form": form,
            "texts": [form["system"], form["user"]],
            "settings_fields": [form["model"], form["parameters"]],
            "placeholders": known(prompt.flow, prompt.stage),
            "start": start,
            "next_number": _newest(prompt) + 1,
            "checked": prompt_checks.check(typed, subcategory),
            "subcategories": prompt_checks.subcategories(),
            "tab": "editor",
        }
        return self._page(request, prompt, "editor.html", context | more, status)

    def _overtaken(
        self, request: HttpRequest, prompt: Prompt, start: PromptVersion, form: VersionForm, newest: PromptVersion
    ) -> HttpResponse:
        """What was saved meanwhile, above what was typed: the next save comes after it, knowingly."""
        form.data = request.POST.copy()
        form.data["newest"] = str(newest.number)
        meanwhile = prompt.versions.select_related("author").filter(
            number__gt=form.cleaned_data["newest"], number__lte=newest.number
        )
        more = {"meanwhile": meanwhile[:20], "theirs": VersionDiff(start, newest)}
        return self._editor(request, prompt, start, form, 409, **more)

    def _version_page(
        self,
        request: HttpRequest,
        prompt: Prompt,
        version: PromptVersion,
        form: WhyForm | None = None,
        overtaken: Any = None,
    ) -> HttpResponse:
        live = prompt.live
        context = {
            "version": version,
            "form": form or WhyForm(initial={"live": live.number if live else None}),
            "against": VersionDiff(live, version) if live is not None and live.pk != version.pk else None,
            "was_live": prompts.was_live(version),
            "waits": prompts.needs_second_person(version),
            "is_author": version.author_id == request.user.pk,
            "overtaken": overtaken,
            "tab": "versions",
        }
        status = 409 if overtaken else 422 if form and form.errors else 200
        return self._page(request, prompt, "version.html", context, status)

    def _page(
        self, request: HttpRequest, prompt: Prompt, template: str, context: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        common = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "prompt": prompt,
            "title": str(prompt),
            "may_change": self.has_change_permission(request, prompt),
            "approval": settings.FOLDBACK_PROMPT_APPROVAL,
        }
        return TemplateResponse(
            request, f"admin/generation/prompt/{template}", {**common, **context}, status=status
        )

    def _prompt(self, request: HttpRequest, prompt_id: int | str) -> Prompt:
        prompt = self.get_object(request, str(prompt_id))
        if prompt is None:
            raise Http404
        if not self.has_view_permission(request, prompt):
            raise PermissionDenied
        return prompt

    def _start(self, request: HttpRequest, prompt: Prompt) -> PromptVersion:
        """The version that the editor opened, or opens, with: `?from=` its number, else the live one."""
        number = request.POST.get("start") or request.GET.get("from", "")
        if number.isdecimal():
            return _numbered(prompt, int(number))
        return prompts.live(prompt.flow, prompt.stage)


def _numbered(prompt: Prompt, number: int) -> PromptVersion:
    return get_object_or_404(prompt.versions.select_related("author", "prompt"), number=number)


def _opened(prompt: Prompt, start: PromptVersion) -> dict[str, Any]:
    """The wording that the editor opens with, and what was there then."""
    wording = {name: getattr(start, name) for name in ("system", "user", "model", "parameters")}
    return {**wording, "start": start.number, "newest": _newest(prompt)}


def _newest(prompt: Prompt) -> int:
    newest = prompt.versions.order_by("-number").values_list("number", flat=True).first()
    return newest or 0
