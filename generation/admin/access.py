"""API keys: made here and shown once; afterwards only revoked."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation import clock
from generation.access import DEFAULT_SCOPES, make_key
from generation.admin.base import Admin, FilledFilter
from generation.models import SCOPES, ApiKey


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        choices=[(scope, scope) for scope in SCOPES],
        initial=DEFAULT_SCOPES,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("read: see. write: create runs. review: claim and review. admin: change subcategories."),
    )
    expires_at = forms.DateTimeField(
        label=_("Expires"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text=_("In UTC; from then on it is refused. Empty: never."),
    )

    class Meta:
        model = ApiKey
        fields = ["name", "user", "scopes", "expires_at"]

    def clean_expires_at(self) -> datetime | None:
        """A key that has expired already would be of no use."""
        at: datetime | None = self.cleaned_data["expires_at"]
        if at is not None and at <= clock.now():
            raise forms.ValidationError(_("This time is past."))
        return at


class RevokedFilter(FilledFilter):
    words = (_("in use"), _("revoked"))


@admin.register(ApiKey)
class ApiKeyAdmin(Admin[ApiKey]):
    form = ApiKeyForm
    list_display = ["name", "prefix", "user", "scope_list", "last_used_at", "expires_at", "revoked_at"]
    list_filter = [("revoked_at", RevokedFilter)]
    list_select_related = ["user"]
    search_fields = ["name", "prefix"]
    actions = ["revoke"]

    @admin.display(description=_("scopes"))
    def scope_list(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> Any:
        made = ["name", "user", "scopes", "expires_at"]
        return made if obj is None else [*made, "prefix", "created_at", "last_used_at", "revoked_at"]

    def has_change_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        """A key in use keeps its name, person and scopes: make another and revoke this one."""
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return False  # a revoked key stays as the author of what it did

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        made, secret = make_key(obj.name, user=obj.user, scopes=obj.scopes, expires_at=obj.expires_at)
        obj.pk = made.pk
        obj.refresh_from_db()
        messages.success(
            request,
            format_html(
                '{} <code class="secret">{}</code> {}',
                _("The key:"),
                secret,
                _("It is shown this once; only its hash is stored."),
            ),
        )

    @admin.action(description=_("Revoke the chosen keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        count = keys.filter(revoked_at=None).update(revoked_at=Now())
        self.message_user(request, ngettext("%d key revoked.", "%d keys revoked.", count) % count)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("generation.change_apikey")
