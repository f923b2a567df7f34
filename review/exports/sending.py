"""Sending bytes that are made, or read from a file, while they are sent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, StreamingHttpResponse
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


def streamed(request: HttpRequest, wanted: Wanted) -> StreamingHttpResponse:
    """The export as an answer. Where it fails half-way the connection is cut: nobody takes it for whole."""
    parts = (portion.data for portion in portions(wanted))
    return _answer(request, parts, wanted.media_type, wanted.file_name)


def of_file(request: HttpRequest, export: Export) -> StreamingHttpResponse:
    """A written export's file as an answer. Conflict where there is none (yet), or not on this machine."""
    if export.state != Export.State.DONE:
        raise Conflict(_("This export is %s.") % export.get_state_display())
    path = jobs.path(export)
    if not path.is_file():
        raise Conflict(_("The file is not where this web process looks for it; FOLDBACK_EXPORTS_DIR says where."))
    wanted = Wanted.from_json(export.wanted)
    answer = _answer(request, _read(path), wanted.media_type, wanted.file_name)
    answer["Content-Length"] = str(export.bytes)
    return answer


def _read(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while part := file.read(FILE_PORTION):
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
