"""Runs: read only, with all they left behind; retry and cancel as actions."""

import json
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation import runs
from generation.admin.base import Admin, FlowFilter, InDollars, Inline, KnownFilter, NeverWritten
from generation.errors import Conflict
from generation.flows import FLOWS, flow
from generation.models import Call, Draft, Injection, Judgement, Run
from generation.providers import PROVIDERS
from generation.verdicts import could_not


def pretty(value: Any) -> SafeString:
    """JSON as people read it."""
    return format_html('<pre class="json">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False))


def as_sent(text: str) -> SafeString:
    return format_html('<pre class="as-sent">{}</pre>', text)


class DraftInline(NeverWritten, Inline[Draft]):
    model = Draft
    fields = ["revision", "round", "made_by", "created_at", "record"]
    readonly_fields = ["record"]

    @admin.display(description=_("record"))
    def record(self, draft: Draft) -> SafeString:
        return format_html("<details><summary>{}</summary>{}</details>", _("Show it"), pretty(draft.content))


class CallInline(NeverWritten, InDollars, Inline[Call]):
    model = Call
    fields = ["opens", "round", "cycle", "provider", "model", "input_tokens", "output_tokens", "cost", "error"]
    readonly_fields = ["opens", "cost"]

    @admin.display(description=_("call"))
    def opens(self, call: Call) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("admin:generation_call_change", args=[call.pk]), call)


class JudgementInline(NeverWritten, Inline[Judgement]):
    model = Judgement
    fields = ["round", "cycle", "kind", "outcome", "said", "created_at"]
    readonly_fields = ["said"]

    @admin.display(description=_("result"))
    def said(self, judgement: Judgement) -> str:
        said = str(judgement.result.get("feedback", "")) or "–"
        if judgement.outcome != Judgement.Outcome.UNAVAILABLE:
            return said
        return f"{could_not(judgement.result)} ({said})"


class InjectionInline(NeverWritten, Inline[Injection]):
    model = Injection
    fields = ["position", "placeholder", "reason", "text", "evidence"]


class StageFilter(KnownFilter):
    known = staticmethod(lambda: {stage for name in FLOWS for stage in flow(name).stages})


class ProviderFilter(KnownFilter):
    known = staticmethod(lambda: PROVIDERS)


@admin.register(Run)
class RunAdmin(NeverWritten, InDollars, Admin[Run]):
    list_display = ["title", "short_id", "flow", "subcategory", "status", "judge_outcome", "round", "created_at"]
    list_filter = ["status", "judge_outcome", ("flow", FlowFilter), "arm", "subcategory"]
    list_select_related = ["subcategory"]
    search_fields = ["title", "external_id", "id"]
    inlines = [DraftInline, CallInline, JudgementInline]
    actions = ["retry", "cancel"]
    fieldsets = [
        (
            None,
            {"fields": ["title", "id", "on_site", "flow", "subcategory", "institution", "batch", "external_id"]},
        ),
        (
            _("State"),
            {
                "fields": [
                    "status",
                    "judge_outcome",
                    "error",
                    "suspicion",
                    "round",
                    "revision",
                    "arm",
                    "holdout_share",
                ]
            },
        ),
        (_("Source"), {"fields": ["given", "options", "metadata"]}),
        (_("Cost"), {"fields": ["provider", "model", "input_tokens", "output_tokens", "cost"]}),
        (_("Learning"), {"fields": ["triggers", "degradations"]}),
        (_("Times"), {"fields": ["created_at", "started_at", "finished_at", "changed_at", "last_reviewed_at"]}),
    ]
    readonly_fields = ["on_site", "given", "triggers", "short_id", "cost"]

    @admin.display(description=_("page"))
    def on_site(self, run: Run) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("run", args=[run.pk]), _("Open the run"))

    @admin.display(description=_("source"))
    def given(self, run: Run) -> SafeString:
        return pretty(run.source)

    @admin.display(description=_("triggers when generated"))
    def triggers(self, run: Run) -> SafeString | str:
        return pretty(run.trigger_state) if run.trigger_state else "–"

    @admin.action(description=_("Generate the chosen runs again"), permissions=["steer"])
    def retry(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        self._each(request, chosen, runs.retry)

    @admin.action(description=_("Cancel the chosen runs"), permissions=["steer"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        self._each(request, chosen, runs.cancel)

    def has_steer_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("generation.change_run")

    def _each(
        self,
        request: HttpRequest,
        chosen: QuerySet[Run],
        act: Callable[[uuid.UUID], Any],
    ) -> None:
        """Do it to each; those whose state refuses are named with the reason."""
        done = 0
        for run in chosen:
            try:
                act(run.pk)
                done += 1
            except Conflict as refusal:
                messages.warning(request, f"{run}: {refusal}")
        if done:
            self.message_user(request, ngettext("Done for %d run.", "Done for %d runs.", done) % done)


@admin.register(Call)
class CallAdmin(NeverWritten, InDollars, Admin[Call]):
    """One request as it was sent; reached from its run."""

    inlines = [InjectionInline]
    list_display = ["stage", "run", "round", "cycle", "model", "cost", "created_at"]
    list_filter = [("stage", StageFilter), ("provider", ProviderFilter)]
    list_select_related = ["run"]
    ordering = ["-id"]  # the model's own, by run, would sort them all
    fieldsets = [
        (None, {"fields": ["run", "stage", "round", "cycle", "attempt", "prompt_version", "provider", "model"]}),
        (_("Prompt as sent"), {"fields": ["system_text", "user_text", "request"]}),
        (_("Answer"), {"fields": ["answer_text", "error"]}),
        (
            _("Usage"),
            {
                "fields": [
                    "input_tokens",
                    "output_tokens",
                    "cache_read_tokens",
                    "cache_write_tokens",
                    "cost",
                    "duration_ms",
                    "created_at",
                    "forgotten_at",
                ]
            },
        ),
    ]
    readonly_fields = ["system_text", "user_text", "answer_text", "cost"]

    @admin.display(description=_("system prompt"))
    def system_text(self, call: Call) -> SafeString:
        return as_sent(call.system)

    @admin.display(description=_("user prompt"))
    def user_text(self, call: Call) -> SafeString:
        return as_sent(call.user)

    @admin.display(description=_("answer"))
    def answer_text(self, call: Call) -> SafeString:
        return as_sent(call.answer)
