"""What every page knows: who generates here, and how many runs wait."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from review.queue import count_waiting


def site(request: HttpRequest) -> dict[str, Any]:
    """The count is read only where a page shows it: sign-in and fragments ask nothing."""
    return {"provider": settings.FOLDBACK_PROVIDER, "waiting": SimpleLazyObject(count_waiting)}
