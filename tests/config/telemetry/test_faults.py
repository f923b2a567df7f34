"""A collector that is away, hangs or refuses delays nobody and fills no log; without one nothing is loaded."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from tests.collector import collector
from tests.config.test_environment import ROOT

FarEnd = Callable[[], AbstractContextManager[str]]
WORK = """
import time
import django
django.setup()
from config.telemetry import begin
from generation import spans
assert begin("web") is TRACED
begun = time.monotonic()
longest = 0.0
for number in range(5000):
    before = time.monotonic()
    with spans.span("work", {"foldback.cycle": number}):
        pass
    longest = max(longest, time.monotonic() - before)
    if number % 1000 == 0:
        time.sleep(0.1)
import sys
loaded = [name for name in sys.modules if name.startswith("opentelemetry")]
print(f"{time.monotonic() - begun:.2f} {longest:.3f} {len(loaded)}", flush=True)
"""


@dataclass(frozen=True)
class Worked:
    """What a process says of 5,000 spans; all times in seconds."""

    took: float
    longest: float  # of one span
    loaded: int  # modules of OpenTelemetry
    to_end: float  # after the work
    log: str


def worked(traced: bool, **environment: str) -> Worked:
    """traced: whether it shall be."""
    given = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "OTEL_BSP_SCHEDULE_DELAY": "50"}
    given["OTEL_EXPORTER_OTLP_TIMEOUT"] = "120"  # seconds: who waits for the far end is far too late
    command = [sys.executable, "-c", WORK.replace("TRACED", str(traced))]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env={**given, **environment}, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout and process.stderr
        line = process.stdout.readline()
        ended_at = time.monotonic()
        log = process.stderr.read()
        assert process.wait(180) == 0, log
    took, longest, loaded = line.split()
    return Worked(float(took), float(longest), int(loaded), time.monotonic() - ended_at, log)


@contextmanager
def away() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


@contextmanager
def hanging() -> Iterator[str]:
    """Takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def refusing() -> Iterator[str]:
    with collector() as here:
        here.status = 401
        yield here.url


@pytest.mark.parametrize("far_end", [away, hanging, refusing], ids=lambda far_end: far_end.__name__)
def test_a_dead_collector_delays_nobody_and_fills_no_log(far_end: FarEnd) -> None:
    with far_end() as url:
        done = worked(True, OTEL_EXPORTER_OTLP_ENDPOINT=url)
    assert done.loaded
    assert done.took < 60 and done.longest < 20, done
    assert done.to_end < 60, done  # two seconds, and what it takes on a busy machine
    events = [word for line in done.log.splitlines() for word in line.split() if word.startswith("traces_")]
    assert events in (["traces_begun"], ["traces_begun", "traces_not_sent"]), done.log
    assert done.log.count("\n") == len(events)


def test_what_is_left_is_sent_at_the_end() -> None:
    with collector() as here:
        worked(True, OTEL_EXPORTER_OTLP_ENDPOINT=here.url, OTEL_BSP_SCHEDULE_DELAY="600000")
        assert max(span.told["foldback.cycle"] for span in here.spans) == 4999


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
    ],
)
def test_nothing_is_loaded_where_nobody_asks(environment: dict[str, str]) -> None:
    done = worked(False, **environment)
    assert (done.loaded, done.log) == (0, "")


def test_what_cannot_begin_is_told_and_stops_nobody() -> None:
    done = worked(False, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_BSP_MAX_QUEUE_SIZE="1")
    assert done.log.count("\n") == 1 and "traces_not_begun" in done.log and "ValueError" in done.log


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "foldback-web"),
        ({"OTEL_SERVICE_NAME": "records"}, "records"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=ours,deployment.environment.name=test"}, "ours"),
    ],
)
def test_the_service_is_named_by_the_standard_variables(environment: dict[str, str], name: str) -> None:
    with collector() as here:
        worked(True, OTEL_TRACES_EXPORTER="otlp", OTEL_EXPORTER_OTLP_ENDPOINT=here.url, **environment)
        assert {span.service for span in here.spans} == {name}


def test_a_sampler_of_the_environment_is_heard() -> None:
    with collector() as here:
        worked(True, OTEL_EXPORTER_OTLP_ENDPOINT=here.url, OTEL_TRACES_SAMPLER="always_off")
        assert here.spans == []
