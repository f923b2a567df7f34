"""How often a key may still call in this minute, told with every answer (IETF draft, RateLimit header fields)."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADERS = ("RateLimit", "RateLimit-Policy")


@dataclass(frozen=True)
class Allowance:
    """limit: calls in a minute; used: those so far, this one too; seconds: until the next minute."""

    limit: int
    used: int
    seconds: int

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


def note(request: HttpRequest, allowance: Allowance) -> None:
    request.allowance = allowance  # type: ignore[attr-defined]


def tell(request: HttpRequest, response: HttpResponseBase) -> None:
    """Nothing where there is no limit, or no key was told."""
    allowance: Allowance | None = getattr(request, "allowance", None)
    if allowance is not None:
        response["RateLimit-Policy"] = f'"key";q={allowance.limit};w=60'
        response["RateLimit"] = f'"key";r={allowance.left};t={allowance.seconds}'
