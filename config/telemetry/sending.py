"""Spans on their way out: what cannot be sent is dropped and told in one line in ten minutes."""

import atexit
import threading
import time
from collections.abc import Sequence

import structlog
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

log = structlog.get_logger(__name__)
TOLD_EVERY = 600.0  # seconds
LAST_SECONDS = 2.0


class Quietly(SpanExporter):
    """An exporter whose failures delay nobody: called in a thread of its own, with a queue that is bounded."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner
        self._lost = 0
        self._told_at = -TOLD_EVERY

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._inner.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self._lost += len(spans)
            self._tell()
        return result

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= TOLD_EVERY:
            log.warning("traces_not_sent", spans=self._lost)
            self._lost, self._told_at = 0, now

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return self._inner.force_flush(timeout_millis)


def send_last(provider: TracerProvider) -> None:
    """Send what is left as the process ends, for LAST_SECONDS at most.

    The thread waits from now on: while a process ends, newer Pythons begin none, and the SDK itself would wait for
    half a minute.
    """
    ends = threading.Event()

    def send() -> None:
        ends.wait()
        provider.shutdown()

    sender = threading.Thread(target=send, name="last-traces", daemon=True)
    sender.start()

    def leave() -> None:
        ends.set()
        sender.join(LAST_SECONDS)

    atexit.register(leave)
