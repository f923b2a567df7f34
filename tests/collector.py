"""A collector of traces on this machine: takes OTLP over real HTTP and reads it as any other would."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Span:
    """One that arrived. `service`: the process that sent it; ids in hex, parent empty for the first of a trace."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    kind: int
    seconds: float
    failed: bool
    told: dict[str, Any]


@dataclass
class Collector:
    url: str = ""
    status: int = 200
    bodies: list[bytes] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        return [span for body in list(self.bodies) for span in _read(body)]

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    @property
    def environment(self) -> dict[str, str]:
        """What switches traces on, to here and without waiting."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}


def _read(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _told(resource.resource.attributes).get("service.name", "")
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Span(
                    service=service,
                    name=span.name,
                    trace=span.trace_id.hex(),
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    kind=span.kind,
                    seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                    failed=span.status.code == 2,
                    told=_told(span.attributes),
                )


def _told(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value") or "string_value") for one in attributes}


@contextmanager
def collector(port: int = 0) -> Iterator[Collector]:
    here = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            zipped = self.headers.get("Content-Encoding") == "gzip"
            if here.status == 200 and self.path == "/v1/traces":
                here.bodies.append(gzip.decompress(body) if zipped else body)
            self.send_response(here.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    here.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
