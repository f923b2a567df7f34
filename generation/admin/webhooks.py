"""Webhooks: who is told what, and every message on its way; the secret of an endpoint is shown once."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation.admin.base import Admin, FilledFilter, KnownFilter, NeverWritten
from generation.admin.runs import pretty
from generation.models import WebhookDelivery, WebhookEndpoint
from generation.models.webhook import TEST, TYPES
from generation.webhooks import outbox, signing
from generation.webhooks.sending import ERRORS


class EndpointForm(forms.ModelForm):  # type: ignore[type-arg]
    types = forms.MultipleChoiceField(
        label=_("Events"),
        choices=[(name, f"{name}: {text}") for name, text in TYPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = WebhookEndpoint
        fields = ["url", "description", "types", "enabled"]
        help_texts = {
            "url": _("Where the messages are sent, by POST: https://example.org/hook"),
            "description": _("What stands there, for lists. Empty: its address."),
            "enabled": _("Switched off it is told nothing; what waits for it goes on waiting."),
        }


class FailingFilter(FilledFilter):
    words = (_("well"), _("failing"))


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(Admin[WebhookEndpoint]):
    form = EndpointForm
    list_display = ["__str__", "host", "type_list", "health", "enabled"]
    list_filter = ["enabled", ("failing_since", FailingFilter)]
    search_fields = ["url", "description"]
    actions = ["rotate", "send_test"]

    @admin.display(description=_("address"))
    def host(self, endpoint: WebhookEndpoint) -> str:
        return endpoint.origin

    @admin.display(description=_("events"))
    def type_list(self, endpoint: WebhookEndpoint) -> str:
        return ", ".join(endpoint.types)

    @admin.display(description=_("how it does"))
    def health(self, endpoint: WebhookEndpoint) -> str:
        if endpoint.switched_off:
            return str(WebhookEndpoint.Why(endpoint.switched_off).label)
        if not endpoint.failures:
            return str(_("well"))
        words = ngettext("%d failure in a row", "%d failures in a row", endpoint.failures)
        return words % endpoint.failures

    def get_fields(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> Any:
        made = ["url", "description", "types", "enabled"]
        return made if obj is None else [*made, *self.get_readonly_fields(request, obj)]

    def get_readonly_fields(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> Any:
        told = ["health", "failing_since", "resting_until", "rotated_at", "created_at", "id"]
        return [] if obj is None else told

    def has_delete_permission(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> bool:
        return False  # switched off it stays as the addressee of what was sent

    def save_model(self, request: HttpRequest, obj: WebhookEndpoint, form: Any, change: bool) -> None:
        """Its own columns alone, while a worker may write the others; a change gives it a new start."""
        if not change:
            super().save_model(request, obj, form, change)
            self._show(request, obj)
            return
        fields = {name: form.cleaned_data[name] for name in form.changed_data}
        if "url" in fields or fields.get("enabled"):
            fields |= {"switched_off": "", "failures": 0, "failing_since": None}
        if fields:
            WebhookEndpoint.objects.filter(pk=obj.pk).update(**fields)
            outbox.wake([obj.pk])

    @admin.action(description=_("Change the secrets of the chosen endpoints"), permissions=["change"])
    def rotate(self, request: HttpRequest, endpoints: QuerySet[WebhookEndpoint]) -> None:
        for pk in endpoints.values_list("pk", flat=True):
            WebhookEndpoint.objects.filter(pk=pk).update(secret_number=F("secret_number") + 1, rotated_at=Now())
            endpoint = WebhookEndpoint.objects.get(pk=pk)
            self.log_change(request, endpoint, str(_("Changed its secret.")))
            self._show(request, endpoint)
            messages.info(request, _("Until tomorrow messages are signed with the secret before it, too."))

    @admin.action(description=_("Send a test message to the chosen endpoints"), permissions=["change"])
    def send_test(self, request: HttpRequest, endpoints: QuerySet[WebhookEndpoint]) -> None:
        enabled = list(endpoints.filter(enabled=True))
        for endpoint in enabled:
            outbox.send_test(endpoint, TEST)
        count = len(enabled)
        if count:
            words = ngettext("%d test message is on its way.", "%d test messages are on their way.", count) % count
            self.message_user(request, f"{words} {_('Webhook deliveries tell what came of it.')}")
        if off := endpoints.count() - count:
            words = ngettext("%d endpoint is switched off.", "%d endpoints are switched off.", off)
            self.message_user(request, words % off, messages.WARNING)

    def _show(self, request: HttpRequest, endpoint: WebhookEndpoint) -> None:
        messages.success(
            request,
            format_html(
                '{} <code class="secret">{}</code> {}',
                _("The secret of %s:") % endpoint,
                signing.secret(endpoint.pk, endpoint.secret_number),
                _("It is shown this once, and stored nowhere."),
            ),
        )


class TypeFilter(KnownFilter):
    known = staticmethod(lambda: [*TYPES, TEST])


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(NeverWritten, Admin[WebhookDelivery]):
    list_display = ["event", "endpoint", "happened", "state", "attempts", "last_said"]
    list_filter = ["state", "endpoint", ("message__type", TypeFilter)]
    list_select_related = ["message", "endpoint"]
    search_fields = ["message__id__exact"]
    search_help_text = _("The webhook-id of a message.")
    ordering = ["-id"]
    sortable_by = ()
    actions = ["resend"]
    fields = [
        "event", "endpoint", "state", "attempts", "last_said", "last_attempt_at", "last_duration_ms",
        "next_attempt_at", "delivered_at", "happened", "webhook_id", "data",
    ]  # fmt: skip
    readonly_fields = ["event", "last_said", "happened", "webhook_id", "data"]

    @admin.display(description=_("event"))
    def event(self, delivery: WebhookDelivery) -> str:
        return delivery.message.type

    @admin.display(description=_("happened"))
    def happened(self, delivery: WebhookDelivery) -> str:
        return date_format(timezone.localtime(delivery.message.created_at), "DATETIME_FORMAT")

    @admin.display(description=_("webhook-id"))
    def webhook_id(self, delivery: WebhookDelivery) -> str:
        return str(delivery.message_id)

    @admin.display(description=_("data"))
    def data(self, delivery: WebhookDelivery) -> SafeString:
        return pretty(delivery.message.data)

    @admin.display(description=_("last answer"))
    def last_said(self, delivery: WebhookDelivery) -> str:
        status = str(delivery.last_status or "")
        error = str(ERRORS.get(delivery.last_error, delivery.last_error))
        return ": ".join(filter(None, (status, error))) or "–"

    @admin.action(description=_("Send the chosen messages again"), permissions=["resend"])
    def resend(self, request: HttpRequest, deliveries: QuerySet[WebhookDelivery]) -> None:
        count = outbox.resend(deliveries.filter(endpoint__enabled=True))
        if count:
            words = ngettext("%d message is sent again.", "%d messages are sent again.", count)
            self.message_user(request, words % count)
        if off := deliveries.filter(endpoint__enabled=False).count():
            words = ngettext("%d goes to an endpoint that is off.", "%d go to endpoints that are off.", off)
            self.message_user(request, words % off, messages.WARNING)

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("generation.change_webhookendpoint")
