"""The page of a batch."""

from uuid import UUID

from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from generation.models import Batch, Status
from generation.pages import batch_page


@require_GET
@permission_required("generation.view_run", raise_exception=True)
def batch(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """The whole page; for htmx only what changes, until the batch is over."""
    found = get_object_or_404(Batch, pk=batch_id)
    try:
        after = UUID(request.GET["after"]) if request.GET.get("after") else None
    except ValueError as error:
        raise Http404("no such place in this list") from error
    status = request.GET.get("status", "")
    if status and status not in Status.values:
        raise Http404("no such status")
    fragment = bool(request.headers.get("HX-Request"))
    template = "generation/_batch.html" if fragment else "generation/batch.html"
    context = {"page": batch_page(found, after, status), "here": request.get_full_path(), "fragment": fragment}
    return render(request, template, context)
