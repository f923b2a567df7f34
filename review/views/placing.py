"""Setting one run aside, and putting it back."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from generation.errors import BadInput, Conflict
from review import setting_aside
from review.views.access import Request, placing_required
from review.views.run import run_or_404


@require_POST
@placing_required
def run_set_aside(request: Request, run_id: UUID) -> HttpResponse:
    """Out of the queue, with the reason that was given."""
    run_or_404(run_id)
    try:
        setting_aside.set_aside(run_id, request.user, request.POST.get("why", ""))
    except (BadInput, Conflict) as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.info(request, _("Set aside: nobody is offered it until somebody puts it back."))
    return redirect("run", run_id)


@require_POST
@placing_required
def run_put_back(request: Request, run_id: UUID) -> HttpResponse:
    """Into the queue again."""
    run_or_404(run_id)
    try:
        setting_aside.put_back(run_id, request.user, request.POST.get("why", ""))
    except (BadInput, Conflict) as refusal:
        messages.warning(request, str(refusal))
    return redirect("run", run_id)
