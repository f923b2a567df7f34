"""Batches: read, but for the spend cap; raising it lets the runs go on that waited for money."""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation import spend
from generation.admin.base import Admin, InDollars
from generation.models import Batch
from generation.money import dollars


class CapForm(forms.ModelForm):  # type: ignore[type-arg]
    spend_cap_usd = forms.DecimalField(
        label=_("Spend cap in US dollars"),
        min_value=0,
        max_digits=12,
        decimal_places=6,
        required=False,
        help_text=_("What all calls of this batch may cost. Empty or 0: no cap but the installation's."),
    )

    class Meta:
        model = Batch
        fields = ["spend_cap_usd"]

    def clean_spend_cap_usd(self) -> Decimal | None:
        return self.cleaned_data["spend_cap_usd"] or None


@admin.register(Batch)
class BatchAdmin(InDollars, Admin[Batch]):
    form = CapForm
    list_display = ["__str__", "parallel", "cost", "cap", "created_at"]
    ordering = ["-id"]
    search_fields = ["name"]
    fields = ["name", "on_site", "created_at", "parallel", "cost", "paused", "spend_cap_usd"]
    readonly_fields = ["name", "on_site", "created_at", "parallel", "cost", "paused"]
    actions = None

    @admin.display(description=_("page"))
    def on_site(self, batch: Batch) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("batch", args=[batch.pk]), _("Open the batch"))

    @admin.display(description=_("spend cap"), ordering="spend_cap_usd")
    def cap(self, batch: Batch) -> str:
        return dollars(batch.spend_cap_usd) if batch.spend_cap_usd else "–"

    @admin.display(description=_("paused"))
    def paused(self, batch: Batch) -> str:
        count = spend.paused(batch.pk).count()
        return ngettext("%d run waits for money", "%d runs wait for money", count) % count

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # made over REST, with their runs

    def has_delete_permission(self, request: HttpRequest, obj: Batch | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Batch, form: Any, change: bool) -> None:
        """By the function of the command: it writes the cap alone, while workers add to the cost."""
        going_on = spend.set_batch_cap(obj.pk, obj.spend_cap_usd)
        if going_on:
            self.message_user(
                request,
                ngettext("%d paused run goes on.", "%d paused runs go on.", going_on) % going_on,
            )
        elif spend.paused(obj.pk).exists():
            self.message_user(request, _now("The cap is below what was spent: the runs stay paused."), "WARNING")
