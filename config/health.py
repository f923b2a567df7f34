"""Whether the installation is alive, ready and how it does: /healthz, /readyz and /metrics."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse


@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The web process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    return HttpResponse("", content_type="text/plain")
