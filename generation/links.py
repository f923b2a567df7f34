"""Addresses in what is told to others, where no request says under which name we are known."""

from typing import Any

from django.conf import settings
from django.urls import reverse


def absolute(name: str, *args: Any, query: str = "") -> str:
    """The address of a named page or call below FOLDBACK_URL; its path alone where that is not set."""
    path = reverse(name, args=args) + (f"?{query}" if query else "")
    return f"{settings.FOLDBACK_URL}{path}"
