"""Switching learning off for one subcategory, and on again."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from generation.models import Subcategory
from learning.switches import switch_off, switch_on
from review.views.access import Request

MAY_SWITCH = {"off": "learning.add_switch", "on": "learning.delete_switch"}


class WhyForm(forms.Form):
    why = forms.CharField(max_length=300)


def may_switch(request: Request, state: str) -> bool:
    """As in administration: a switched-off row is added to switch off, and deleted to switch on."""
    return request.user.has_perm(MAY_SWITCH[state])


@require_POST
def switch(request: Request, slug: str) -> HttpResponse:
    """`state` off with a `why`, or on."""
    state = "on" if request.POST.get("state") == "on" else "off"
    if not may_switch(request, state):
        raise PermissionDenied
    subcategory = get_object_or_404(Subcategory, slug=slug)
    if state == "on":
        switch_on(subcategory.pk)
        messages.success(request, _("Learning is on again for %s.") % subcategory)
    elif (form := WhyForm(request.POST)).is_valid():
        switch_off(subcategory.pk, by=request.user, why=form.cleaned_data["why"])
        messages.success(request, _("Learning is off for %s: its prompts carry no guidance.") % subcategory)
    else:
        messages.error(request, _("Nothing was switched off: say why, in up to 300 characters."))
    return redirect("subcategory", slug)
