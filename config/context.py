"""What every page knows: who generates here, and how many runs wait."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    return {"provider": settings.FOLDBACK_PROVIDER}
