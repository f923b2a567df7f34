"""Administration of learning: guidance texts, merged field names and off switches."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from generation.admin.base import Admin, FlowFilter, NeverWritten
from learning.models import FieldSynonym, Guidance, PolicyChoice, Proposal, Switch, ThresholdSet
from learning.studio.proposals.views import proposals


@admin.register(Guidance)
class GuidanceAdmin(Admin[Guidance]):
    """In the navigation alone: the influence map and its texts have pages of their own (`learning.studio`)."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return redirect("studio:influence")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        return redirect("studio:guidance", row.pk)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # a line of the influence map brings its row

    def has_delete_permission(self, request: HttpRequest, obj: Guidance | None = None) -> bool:
        return False  # switch it off instead


@admin.register(PolicyChoice)
class PolicyChoiceAdmin(NeverWritten, Admin[PolicyChoice]):
    """In the navigation alone: the policy has a page of its own (`learning.studio.policy`)."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return redirect("studio:policy")


@admin.register(ThresholdSet)
class ThresholdSetAdmin(Admin[ThresholdSet]):
    """In the navigation alone: thresholds have pages of their own (`learning.studio.thresholds`)."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return redirect("studio:thresholds")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # they are tried first

    def has_change_permission(self, request: HttpRequest, obj: ThresholdSet | None = None) -> bool:
        return False  # each save is a new row

    def has_delete_permission(self, request: HttpRequest, obj: ThresholdSet | None = None) -> bool:
        return False


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
