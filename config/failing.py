"""The answer to a page that broke: what was typed comes back with it, to be sent again. Asks no database."""

import sys

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.template import loader

from generation.database_faults import RETRY_AFTER_SECONDS, refuses


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500, which is called while the error is being handled."""
    away = refuses(sys.exc_info()[1])
    context = {"away": away, "typed": _typed(request), "action": request.get_full_path()}
    answer = HttpResponse(loader.render_to_string("500.html", context), status=503 if away else 500)
    if away:
        answer["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


def _typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Every field as it was sent, the form's own token among them; nothing where a password is."""
    if request.method != "POST":
        return []
    try:
        fields = list(request.POST.lists())
    except (SuspiciousOperation, OSError):  # a body that could not be read is not shown either
        return []
    if any("password" in name for name, _ in fields):
        return []
    return [(name, value) for name, values in fields for value in values]
