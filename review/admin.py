"""Administration of review: events and forms to read, claims to release, and the people who review."""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation.admin.base import Admin, FilledFilter, NeverWritten
from generation.flows import FLOWS, label_of
from generation.models import Batch
from review import panel, queue
from review.models import Claim, ReviewEvent, ReviewForm, ReviewPolicy


@admin.register(ReviewEvent)
class ReviewEventAdmin(NeverWritten, Admin[ReviewEvent]):
    """Append-only: the database itself refuses what this page does not offer."""

    list_display = ["id", "run_link", "sequence", "kind", "decision", "reviewer", "source", "created_at"]
    list_display_links = ["id"]
    list_filter = ["kind", "decision", "source", "reviewer"]
    list_select_related = ["run", "reviewer"]
    search_fields = ["run__title", "notes"]
    ordering = ["-created_at", "-id"]
    actions = None

    @admin.display(description=_("run"))
    def run_link(self, event: ReviewEvent) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("run", args=[event.run_id]), event.run)


BATCHES = 200  # the newest, to choose from


class PolicyForm(forms.ModelForm):  # type: ignore[type-arg]
    flow = forms.ChoiceField(
        label=_("Flow"), required=False, help_text=ReviewPolicy._meta.get_field("flow").help_text
    )

    class Meta:
        model = ReviewPolicy
        fields = ["flow", "batch", "reviewers", "blind_to_judge", "four_eyes"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(name, label_of(name)) for name in sorted(FLOWS)]
        self.fields["flow"].choices = [("", _("of one batch alone")), *known]  # type: ignore[attr-defined]
        newest = list(Batch.objects.order_by("-created_at", "-id").values_list("pk", flat=True)[:BATCHES])
        offered = Batch.objects.filter(Q(pk__in=newest) | Q(pk=self.instance.batch_id))
        self.fields["batch"].queryset = offered  # type: ignore[attr-defined]


class HistoryFilter(FilledFilter):
    words = (_("not in the history"), _("in the history"))


@admin.register(ReviewForm)
class ReviewFormAdmin(NeverWritten, Admin[ReviewForm]):
    list_display = ["run", "reviewer", "round", "state", "decision", "saved_at", "has_event"]
    list_filter = ["state", ("event", HistoryFilter), "reviewer"]
    list_select_related = ["run", "reviewer"]
    ordering = ["-id"]  # the model's own, by the last change, would sort them all
    actions = None

    @admin.display(description=_("in the history"), boolean=True)
    def has_event(self, form: ReviewForm) -> bool:
        return form.event_id is not None


class LiveFilter(admin.SimpleListFilter):
    """By the database's clock. One that ran out holds nothing, and is its holder's again once they come back."""

    title = _("holds its run")
    parameter_name = "live"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("yes")), ("no", _("no, it ran out"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        live = Q(expires_at__gt=Now())
        return queryset.filter({"yes": live, "no": ~live}.get(self.value() or "", Q()))


@admin.register(Claim)
class ClaimAdmin(Admin[Claim]):
    list_display = ["run", "reviewer", "created_at", "expires_at"]
    list_filter = [LiveFilter, "reviewer"]
    list_select_related = ["run", "reviewer"]
    actions = ["release"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Claim | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Claim | None = None) -> bool:
        return False  # "release" says what it does

    @admin.action(description=_("Release the chosen claims"), permissions=["release"])
    def release(self, request: HttpRequest, claims: QuerySet[Claim]) -> None:
        """Whoever held the run keeps what was typed; the run is free for the next reviewer."""
        held = list(claims.values_list("run_id", flat=True))
        for run_id in held:
            queue.free(run_id, cast(User, request.user))
        count = len(held)
        self.message_user(request, ngettext("%d claim released.", "%d claims released.", count) % count)

    def has_release_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("review.delete_claim")


@admin.register(ReviewPolicy)
class ReviewPolicyAdmin(Admin[ReviewPolicy]):
    """What is asked of the reviews of a flow's runs, or of a batch's. It holds for all that nobody has begun."""

    form = PolicyForm
    list_display = ["__str__", "reviewers", "blind_to_judge", "four_eyes"]
    list_select_related = ["batch"]
    fieldsets = [
        (_("For"), {"fields": ["flow", "batch"]}),
        (_("Asks"), {"fields": ["reviewers", "blind_to_judge", "four_eyes"]}),
    ]
    actions = None

    def save_model(self, request: HttpRequest, obj: ReviewPolicy, form: Any, change: bool) -> None:
        before = ReviewPolicy.objects.filter(pk=obj.pk).first() if change else None
        super().save_model(request, obj, form, change)
        for policy in filter(None, [before, obj]):
            panel.apply(policy)

    def delete_model(self, request: HttpRequest, obj: ReviewPolicy) -> None:
        super().delete_model(request, obj)
        panel.apply(obj)


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]
    """People are deactivated, never deleted: their reviews name them."""

    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("May"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Times"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ()
    list_display = ("username", "first_name", "last_name", "is_active", "is_staff", "last_login")
    actions = ["deactivate"]

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs["widget"] = forms.CheckboxSelectMultiple
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description=_("Deactivate the chosen people"), permissions=["change"])
    def deactivate(self, request: HttpRequest, people: QuerySet[User]) -> None:
        count = people.exclude(username=request.user.get_username()).update(is_active=False)
        self.message_user(request, ngettext("%d person deactivated.", "%d people deactivated.", count) % count)


class PermissionChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.name)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin):
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        if db_field.name != "permissions":
            return super().formfield_for_manytomany(db_field, request, **kwargs)
        administered = ContentType.objects.get_for_models(*admin.site._registry).values()
        return PermissionChoice(
            label=_("Permissions"),
            queryset=Permission.objects.filter(content_type__in=administered).select_related("content_type"),
            widget=forms.CheckboxSelectMultiple,
            required=False,
        )
