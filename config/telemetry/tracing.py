"""Spans kept by OpenTelemetry's SDK and sent by OTLP over HTTP, as its own environment says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db.backends.signals import connection_created
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from config.telemetry.sending import Quietly, send_last
from config.telemetry.statements import watch_statements
from generation import spans
from generation.spans import Attributes, Kind

W3C = TraceContextTextMapPropagator()
KINDS = {
    "internal": trace.SpanKind.INTERNAL,
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
    "producer": trace.SpanKind.PRODUCER,
    "consumer": trace.SpanKind.CONSUMER,
}


def begin(process: str) -> None:
    """For the rest of this process."""
    given = {"service.name": f"foldback-{process}", "service.namespace": "foldback"}
    detected = Resource.create().attributes  # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word
    named = {key: value for key, value in detected.items() if not str(value).startswith("unknown_service")}
    provider = TracerProvider(resource=Resource({**given, **named}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Quietly(OTLPSpanExporter())))
    send_last(provider)
    spans.trace_with(Tracing(provider.get_tracer("foldback")))
    connection_created.connect(watch_statements)


class Kept:
    """A span of the SDK's."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def set(self, attributes: Attributes) -> None:
        if self._span.is_recording():
            self._span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        if self._span.is_recording():
            self._span.set_attribute("error.type", kind)
            self._span.set_status(trace.StatusCode.ERROR)

    def end(self) -> None:
        if self._span.is_recording():
            self._span.end()


class Tracing:
    """`generation.spans.Tracing`."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def span(
        self, name: str, attributes: Attributes, kind: Kind, parent: Mapping[str, str] | None
    ) -> Iterator[Kept]:
        """An error fails the span by its kind alone: its words may quote a record."""
        above = W3C.extract(parent) if parent is not None else None
        started = self._tracer.start_span(name, above, KINDS[kind], dict(attributes))
        kept = Kept(started)
        with trace.use_span(started, record_exception=False, set_status_on_exception=False):
            try:
                yield kept
            except Exception as error:
                kept.fail(getattr(error, "code", None) or type(error).__name__)
                raise
            finally:
                kept.end()

    def current(self) -> Kept | None:
        found = trace.get_current_span()
        return Kept(found) if found.is_recording() else None

    def carried(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        W3C.inject(headers)
        return headers
