"""Administration of learning: guidance texts, merged field names and off switches."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from generation.admin.base import Admin, FlowFilter, NeverWritten
from learning.guidance import shipped_text
from learning.models import FieldSynonym, Guidance, Proposal, Switch
from learning.studio.proposals.views import proposals


@admin.register(Guidance)
class GuidanceAdmin(Admin[Guidance]):
    """A row per line of the influence map; the shipped wording stays in sight and one click away."""

    list_display = ["key", "opening", "enabled", "is_shipped", "changed_by", "changed_at"]
    list_filter = [("flow", FlowFilter), "enabled"]
    list_select_related = ["changed_by"]
    search_fields = ["key", "text"]
    fields = ["flow", "key", "text", "shipped_text", "enabled", "changed_by", "changed_at"]
    readonly_fields = ["flow", "key", "shipped_text", "changed_by", "changed_at"]
    actions = None
    sortable_by = ()  # listed under their flows
    list_per_page = 500  # the whole table: no flow is torn in two

    @admin.display(description=_("text"))
    def opening(self, row: Guidance) -> str:
        return row.text if len(row.text) <= 90 else f"{row.text[:89]}…"

    @admin.display(description=_("as shipped"), boolean=True)
    def is_shipped(self, row: Guidance) -> bool:
        return row.text == shipped(row)

    @admin.display(description=_("as shipped"))
    def shipped_text(self, row: Guidance) -> SafeString:
        return format_html('<p class="shipped">{}</p>', shipped(row))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # a line of the influence map brings its row

    def has_delete_permission(self, request: HttpRequest, obj: Guidance | None = None) -> bool:
        return False  # switch it off instead

    def save_model(self, request: HttpRequest, obj: Guidance, form: Any, change: bool) -> None:
        obj.text = obj.text.replace("\r\n", "\n")
        self._stamp(request, obj)

    def get_urls(self) -> list[URLPattern]:
        restore = self.admin_site.admin_view(require_POST(self.restore_view))
        return [
            path("<int:row_id>/restore/", restore, name="learning_guidance_restore"),
            *super().get_urls(),
        ]

    def restore_view(self, request: HttpRequest, row_id: int) -> HttpResponse:
        row = self.get_object(request, str(row_id))
        if row is None:
            raise Http404
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        row.text = shipped(row)
        self._stamp(request, row)
        self.log_change(request, row, translate("Restored the shipped text."))
        messages.success(request, translate("The shipped text of %s is back.") % row.key)
        return redirect("admin:learning_guidance_change", row.pk)

    def _stamp(self, request: HttpRequest, row: Guidance) -> None:
        row.changed_by_id = request.user.pk
        row.changed_at = Now()
        row.save(update_fields=["text", "enabled", "changed_by", "changed_at"])


def shipped(row: Guidance) -> str:
    """The shipped wording of a row; empty where its line left the influence map."""
    return shipped_text(row.flow, row.key)


@admin.register(FieldSynonym)
class FieldSynonymAdmin(Admin[FieldSynonym]):
    list_display = ["name", "canonical", "flow"]
    list_filter = [("flow", FlowFilter)]
    search_fields = ["name", "canonical"]


@admin.register(Switch)
class SwitchAdmin(Admin[Switch]):
    """A row is learning switched off; deleting it switches learning on again."""

    list_display = ["__str__", "why", "by", "at"]
    list_select_related = ["subcategory", "by"]
    fields = ["subcategory", "why"]

    def has_change_permission(self, request: HttpRequest, obj: Switch | None = None) -> bool:
        return False  # switch on again, and off with another reason

    def save_model(self, request: HttpRequest, obj: Switch, form: Any, change: bool) -> None:
        obj.by_id = request.user.pk
        super().save_model(request, obj, form, change)


@admin.register(Proposal)
class ProposalAdmin(NeverWritten, Admin[Proposal]):
    """Its place among the lists; they and their pages are the prompt studio's."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return proposals(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return redirect("studio:proposal", object_id) if object_id.isdecimal() else redirect("studio:proposals")
