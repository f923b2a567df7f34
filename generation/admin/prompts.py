"""Prompts: what is live, every version, and the two acts: save a new version, make one live."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, IntegerField, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from generation import line_diff, prompts
from generation.admin.base import Admin, FlowFilter
from generation.errors import BadInput, Conflict
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt, PromptVersion
from generation.placeholders import known


def plain_textarea() -> forms.Textarea:
    return forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})


class VersionForm(forms.Form):
    """A new version's wording. A placeholder that is unknown or malformed is told at its field."""

    system = forms.CharField(label=_("System prompt"), required=False, strip=False, widget=plain_textarea())
    user = forms.CharField(label=_("User prompt"), strip=False, widget=plain_textarea())
    model = forms.CharField(
        label=_("Model"), required=False, max_length=100, help_text=_("Empty: the installation's own.")
    )
    parameters = forms.JSONField(
        label=_("Parameters"),
        required=False,
        initial=dict,
        widget=plain_textarea(),
        help_text=_("A JSON object."),
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=300, help_text=_("What changed, and why."))

    def clean_parameters(self) -> dict[str, Any]:
        given = self.cleaned_data["parameters"] or {}
        if not isinstance(given, dict):
            raise forms.ValidationError(translate("This must be a JSON object."))
        return given

    @staticmethod
    def plain(text: str) -> str:
        """Browsers send CRLF; versions keep LF, so that equal texts are equal bytes."""
        return text.replace("\r\n", "\n")

    def save(self, prompt: Prompt, author: Any) -> PromptVersion | None:
        """The new version; None, with the errors at their fields, where it was refused."""
        wording = self.cleaned_data
        try:
            return prompts.save_version(
                prompt,
                system=self.plain(wording["system"]),
                user=self.plain(wording["user"]),
                model=wording["model"],
                parameters=wording["parameters"],
                author=author,
                note=wording["note"],
            )
        except BadInput as refusal:
            for problem in refusal.problems:
                field = problem.pointer.strip("/").partition("/")[0]
                self.add_error(field if field in self.fields else None, problem.detail)
            return None


class WhyForm(forms.Form):
    why = forms.CharField(label=_("Why"), max_length=300)


@admin.register(Prompt)
class PromptAdmin(Admin[Prompt]):
    """One list for all flows, grouped by flow, the stages as they follow one another."""

    list_display = ["stage_label", "live_number", "versions_kept", "live_note"]
    list_display_links = ["stage_label"]
    list_filter = [("flow", FlowFilter)]
    list_select_related = ["live__prompt"]
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Prompt]:
        return super().get_queryset(request).annotate(kept=Count("versions"))

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
        view = self.admin_site.admin_view
        return [
            path(
                "<int:prompt_id>/versions/<int:number>/", view(self.version_view), name="generation_prompt_version"
            ),
            path(
                "<int:prompt_id>/versions/<int:number>/live/",
                view(require_POST(self.make_live_view)),
                name="generation_prompt_make_live",
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The editor: what is sent becomes a new version; nothing that exists is changed."""
        prompt = self._prompt(request, object_id)
        start = self._start(request, prompt)
        form = VersionForm(request.POST or None, initial=_wording(start))
        if request.method == "POST":
            if not self.has_change_permission(request, prompt):
                raise PermissionDenied
            version = form.save(prompt, request.user) if form.is_valid() else None
            if version is not None:
                self.log_change(request, prompt, translate("Saved version %d.") % version.number)
                messages.success(request, translate("Version %d is saved. It is not live yet.") % version.number)
                return redirect("admin:generation_prompt_version", prompt.pk, version.number)
        context = {
            "form": form,
            "texts": [form["system"], form["user"]],
            "settings_fields": [form["model"], form["parameters"]],
            "placeholders": known(prompt.flow, prompt.stage),
            "start": start,
            "next_number": _newest(prompt) + 1,
        }
        return self._page(request, prompt, "editor.html", context, status=422 if form.errors else 200)

    def version_view(self, request: HttpRequest, prompt_id: int, number: int) -> HttpResponse:
        prompt = self._prompt(request, prompt_id)
        version = get_object_or_404(prompt.versions.select_related("author"), number=number)
        return self._version_page(request, prompt, version, WhyForm())

    def make_live_view(self, request: HttpRequest, prompt_id: int, number: int) -> HttpResponse:
        prompt = self._prompt(request, prompt_id)
        version = get_object_or_404(prompt.versions, number=number)
        if not self.has_change_permission(request, prompt):
            raise PermissionDenied
        form = WhyForm(request.POST)
        if not form.is_valid():
            return self._version_page(request, prompt, version, form)
        try:
            prompts.make_live(version, by=cast(User, request.user), why=form.cleaned_data["why"])
        except Conflict as refusal:
            messages.warning(request, str(refusal))
            return redirect("admin:generation_prompt_change", prompt.pk)
        self.log_change(request, prompt, translate("Made version %d live.") % number)
        messages.success(request, translate("Version %d is live: the next call is sent with it.") % number)
        return redirect("admin:generation_prompt_change", prompt.pk)

    def _version_page(
        self, request: HttpRequest, prompt: Prompt, version: PromptVersion, form: WhyForm
    ) -> HttpResponse:
        live = prompt.live
        compared = live is not None and live.pk != version.pk
        context = {
            "version": version,
            "form": form,
            "system_rows": line_diff.rows(live.system, version.system) if compared and live else [],
            "user_rows": line_diff.rows(live.user, version.user) if compared and live else [],
        }
        return self._page(request, prompt, "version.html", context, status=422 if form.errors else 200)

    def _page(
        self, request: HttpRequest, prompt: Prompt, template: str, context: dict[str, Any], status: int
    ) -> HttpResponse:
        common = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "prompt": prompt,
            "title": str(prompt),
            "may_change": self.has_change_permission(request, prompt),
            "versions": prompt.versions.select_related("author"),
            "moves": prompt.moves.select_related("from_version", "to_version", "by")[:20],
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
        """The version that the editor opens with: `?from=` its number, else the live one."""
        number = request.GET.get("from", "")
        if number.isdecimal():
            return get_object_or_404(prompt.versions, number=int(number))
        return prompts.live(prompt.flow, prompt.stage)


def _wording(version: PromptVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in ("system", "user", "model", "parameters")}


def _newest(prompt: Prompt) -> int:
    newest = prompt.versions.order_by("-number").values_list("number", flat=True).first()
    return newest or 0
