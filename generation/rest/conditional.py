"""ETags: a read that the caller has already is answered with 304 and without a body."""

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_conditional_response

CACHED = "private, no-cache"  # kept by the caller alone, and asked for again each time


class Unchanged(Exception):
    """The caller has this version."""

    def __init__(self, etag: str) -> None:
        self.etag = etag
        super().__init__(etag)


def version(request: HttpRequest, response: HttpResponse, of: str) -> None:
    """Gives the answer the version `of`, before it is built. Unchanged where the caller has it."""
    etag = _etag(request, of.encode())
    found = get_conditional_response(request, etag=etag)
    if isinstance(found, HttpResponseNotModified):
        raise Unchanged(etag)
    response["ETag"] = etag


def unchanged(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag, "Cache-Control": CACHED})


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A read's answer with an ETag, of its body where nothing cheaper gave it one; or 304."""
    if request.method != "GET" or response.status_code != 200:
        return response
    if "ETag" not in response:
        response["ETag"] = _etag(request, response.content)
    response["Cache-Control"] = CACHED
    found = get_conditional_response(request, etag=response["ETag"], response=response)
    return unchanged(response["ETag"]) if isinstance(found, HttpResponseNotModified) else response


def _etag(request: HttpRequest, of: bytes) -> str:
    """The address belongs to it: answers hold absolute ones."""
    text = request.build_absolute_uri().encode() + b"\n" + of
    return f'"{hashlib.blake2b(text, digest_size=16).hexdigest()}"'
