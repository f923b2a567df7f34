"""The preview of a prompt: a page of its own, and the pane beside the editor."""

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from generation.models import Prompt
from learning.studio.preview import read, show
from review.views.access import Request


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required("generation.view_prompt", raise_exception=True)
def preview(request: Request, prompt_id: int) -> HttpResponse:
    """With POST: of a text that is stored nowhere. With htmx: the prompt, and what of the form follows from it."""
    prompt = get_object_or_404(Prompt.objects.select_related("live"), pk=prompt_id)
    context = {**_context(request, prompt), "tab": "preview"}
    template = "_shown.html" if request.htmx else "preview.html"
    return TemplateResponse(request, f"admin/studio/{template}", context)


@require_POST
@permission_required("generation.view_prompt", raise_exception=True)
def pane(request: Request, prompt_id: int) -> HttpResponse:
    """What the editor's text resolves to, while somebody types."""
    prompt = get_object_or_404(Prompt.objects.select_related("live"), pk=prompt_id)
    return TemplateResponse(request, "admin/studio/_pane.html", _context(request, prompt))


def _context(request: Request, prompt: Prompt) -> dict[str, object]:
    given = request.POST if request.method == "POST" else request.GET
    page = show(prompt, read(prompt, given, request.user))
    frame = admin.site.each_context(request)
    nav = reverse("admin:generation_prompt_changelist")
    title = _("Preview of %s") % prompt
    return {**frame, "opts": Prompt._meta, "nav_url": nav, "prompt": prompt, "title": title, "page": page}
