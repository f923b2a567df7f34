"""Sending bytes that are made, or read from a file, while they are sent."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from generation.errors import Conflict
from generation.following import alone
from review.exports import jobs
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.models import Export

# Of this process. Whoever exports waits for the next portion in a row here, and takes no thread from pages.
THREADS = ThreadPoolExecutor(2, thread_name_prefix="exports")
FILE_PORTION = 256 * 1024
RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


def streamed(request: HttpRequest, wanted: Wanted) -> StreamingHttpResponse:
    """The export as an answer. Where it fails half-way the connection is cut: nobody takes it for whole."""
    parts = (portion.data for portion in portions(wanted))
    return _answer(request, parts, wanted.media_type, wanted.file_name)


class OutOfRange(Exception):
    """The file has none of the bytes that were asked for."""

    def __init__(self, length: int) -> None:
        self.headers = {"Content-Range": f"bytes */{length}"}
        super().__init__()


def of_file(request: HttpRequest, export: Export) -> HttpResponseBase:
    """A written export's file as an answer, or the range of it that was asked for; 304 where the caller has it.
    Raises OutOfRange, and Conflict where there is none (yet), or not on this machine."""
    if export.state != Export.State.DONE:
        raise Conflict(_("This export is %s.") % export.get_state_display())
    path = jobs.path(export)
    if not path.is_file():
        raise Conflict(_("The file is not where this web process looks for it; FOLDBACK_EXPORTS_DIR says where."))
    wanted = Wanted.from_json(export.wanted)
    etag = f'"{export.pk}"'  # a file is written once
    if isinstance(get_conditional_response(request, etag=etag), HttpResponseNotModified):
        return HttpResponseNotModified(headers={"ETag": etag, "Cache-Control": "no-store"})
    part = _range(request, etag, export.bytes)
    begin, end = part or (0, export.bytes)
    answer = _answer(request, _read(path, begin, end), wanted.media_type, wanted.file_name)
    answer["Content-Length"] = str(end - begin)
    answer["ETag"], answer["Accept-Ranges"] = etag, "bytes"
    if part:
        answer.status_code = 206
        answer["Content-Range"] = f"bytes {begin}-{end - 1}/{export.bytes}"
    return answer


def _range(request: HttpRequest, etag: str, length: int) -> tuple[int, int] | None:
    """The bytes that `Range` asks for, from and to; None for all.

    As RFC 9110 has it, what is not understood (other units, several ranges) is not heard, nor a range of another
    file than that of `If-Range`.
    """
    found = RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None or request.headers.get("If-Range", etag) != etag or not any(found.groups()):
        return None
    first, last = (int(number) if number else None for number in found.groups())
    if first is None:
        begin, end = max(length - (last or 0), 0), length
    else:
        begin, end = first, length if last is None else min(last + 1, length)
        if last is not None and last < first:
            return None
    if begin >= end:
        raise OutOfRange(length)
    return begin, end


def _read(path: Path, begin: int, end: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        file.seek(begin)
        while part := file.read(min(FILE_PORTION, end - file.tell())):
            yield part


def _answer(request: HttpRequest, parts: Iterator[bytes], media_type: str, name: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        alone(_in_threads(parts)) if isinstance(request, ASGIRequest) else parts,
        content_type=media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
        },
    )


async def _in_threads(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Over ASGI, Django would read a plain iterator to its end before it sends the first byte.

    Each part is made in a thread that gives its database connection back before the part is sent: a slow reader
    holds neither.
    """
    loop = asyncio.get_running_loop()
    make = _given_back(lambda: next(parts, None))
    while (part := await loop.run_in_executor(THREADS, make)) is not None:
        if part:
            yield part


def _given_back(make: Callable[[], bytes | None]) -> Callable[[], bytes | None]:
    def made() -> bytes | None:
        try:
            return make()
        finally:
            close_old_connections()

    return made
