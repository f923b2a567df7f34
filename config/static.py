"""Style sheets under addresses that change with them, so that a browser keeps them without asking again.

Scripts are not: they import each other by their plain names, and one under two addresses would run twice.
"""

import hashlib
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseFileResponse, WhiteNoiseMiddleware

SHEET = ".css"
KEPT = "public, max-age=31536000, immutable"  # a year, the longest that a cache need keep anything (RFC 2616)


@cache
def version_of(name: str) -> str:
    """Of a file's content, as it was when first asked for, which is as WhiteNoise has it; empty: there is none."""
    path = finders.find(name)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12] if isinstance(path, str) else ""


class Storage(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        address = super().url(name)
        version = version_of(name) if name and name.endswith(SHEET) else ""
        return f"{address}?v={version}" if version else address


class Middleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # it has no types
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = super().__call__(request)
        name = request.path_info.removeprefix(self.static_prefix)
        is_sheet = isinstance(response, WhiteNoiseFileResponse) and name.endswith(SHEET)
        if is_sheet and request.GET.get("v") == version_of(name):  # else another process, older or newer, named it
            response["Cache-Control"] = KEPT
        return response
