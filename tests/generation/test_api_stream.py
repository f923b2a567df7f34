"""A run's events over a real ASGI server, and the text of the stream."""

import asyncio
import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from config.asgi import application
from generation import following, progress
from generation.models import NodeEvent, Run, Status
from tests.callers import Caller
from tests.factories import RunFactory
from tests.streams import message, serving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[int]:
    with serving(application) as port:
        yield port


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "POLL_SECONDS", 0.02)


Follow = Callable[..., http.client.HTTPResponse]


@pytest.fixture
def follow(server: int) -> Iterator[Follow]:
    """Opens the stream of a run, as `secret`, behind the event `after`."""
    with contextlib.ExitStack() as opened:

        def asked(run: Run, secret: str, after: str = "") -> http.client.HTTPResponse:
            caller = http.client.HTTPConnection("127.0.0.1", server, timeout=10)
            opened.callback(caller.close)
            headers = {"Authorization": f"Bearer {secret}", "Connection": "close"} | (
                {"Last-Event-ID": after} if after else {}
            )
            caller.request("GET", f"/api/v1/runs/{run.id}/events", headers=headers)
            return opened.enter_context(caller.getresponse())

        yield asked


@pytest.mark.usefixtures("quick")
def test_events_come_as_they_happen_and_end_with_the_run(follow: Follow) -> None:
    run = RunFactory(status=Status.GENERATING)
    progress.entered(run.id, "extraction", badge="", round=1, attempt=1)
    answer = follow(run, Caller("read").secret)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/event-stream"
    first = message(answer)
    assert (first["event"], first["data"]["node"], first["data"]["attempt"]) == ("node_enter", "extraction", 1)
    progress.completed(run.id, "supervisor", badge="REVIEW", round=1, attempt=2, detail="FAIL")
    second = message(answer)
    assert (second["event"], second["data"]["badge"], second["data"]["detail"]) == (
        "node_complete",
        "REVIEW",
        "FAIL",
    )
    assert int(second["id"]) > int(first["id"])
    with transaction.atomic():
        Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW)
        progress.status_changed(run.id, Status.AWAITING_REVIEW, 1)
    end = message(answer)
    assert (end["event"], end["data"]["node"]) == ("status", "awaiting_review")
    assert answer.read() == b""


@pytest.mark.usefixtures("quick")
def test_a_caller_who_comes_back_gets_what_it_missed(follow: Follow) -> None:
    run = RunFactory(status=Status.STOPPED)
    for node in ("categorizer", "extraction", "supervisor"):
        progress.entered(run.id, node, badge="", round=1, attempt=1)
    first = NodeEvent.objects.order_by("id")[0]
    answer = follow(run, Caller("read").secret, after=str(first.pk))
    got = [message(answer) for _ in range(3)]
    assert [found["data"]["node"] for found in got] == ["extraction", "supervisor", "stopped"]
    assert "id" not in got[2]


def test_refusals_over_asgi(follow: Follow) -> None:
    run = RunFactory()
    assert follow(run, "fb_nothing").status == 401
    assert follow(run, Caller("write").secret).status == 403
    assert follow(run, Caller("read").secret, after="soon").status == 422
    assert follow(Run(), Caller("read").secret).status == 404


def test_fifty_open_streams_hold_no_thread_and_no_connection(server: int, follow: Follow) -> None:
    run = RunFactory(status=Status.GENERATING)
    secret = Caller("read").secret
    follow(run, secret)  # whatever the process keeps for all is there by now
    threads = threading.active_count()
    answers = [follow(run, secret) for _ in range(50)]
    time.sleep(0.5)
    assert threading.active_count() < threads + 10, "the pool that looks has a few, the streams have none"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        (open_connections,) = cursor.fetchone()
    assert open_connections < 12
    taken = [page(server) for _ in range(10)]
    assert max(taken) < 3, f"pages took {taken} seconds"
    Run.objects.update(status=Status.STOPPED)
    assert all(b"stopped" in answer.read() for answer in answers)


def page(server: int) -> float:
    """How long a page takes that reads the database."""
    begun = time.monotonic()
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server, timeout=10)) as caller:
        caller.request("GET", "/readyz")
        with caller.getresponse() as answer:
            assert answer.status in (200, 503) and answer.read()
    return time.monotonic() - begun


def test_a_stream_that_its_reader_left_is_over(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    look = following.look

    async def counted(*where: Any) -> Any:
        looks.append(time.monotonic())
        return await look(*where)

    monkeypatch.setattr(following, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(following, "look", counted)
    answer = follow(RunFactory(status=Status.GENERATING), Caller("read").secret)
    time.sleep(0.2)
    assert len(looks) > 2
    answer.close()
    time.sleep(0.5)
    assert time.monotonic() - looks[-1] > 0.2


def test_a_quiet_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFactory(status=Status.GENERATING)
    monkeypatch.setattr(following, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(following, "KEEP_ALIVE_SECONDS", 0.02)

    async def first() -> str:
        return await anext(following.events(run.id))

    assert asyncio.run(first()).startswith(":")


def test_the_export_is_streamed_over_asgi(server: int) -> None:
    headers = {"Authorization": f"Bearer {Caller('read').secret}"}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server, timeout=10)) as caller:
        caller.request("GET", "/api/v1/exports/reviews.jsonl", headers=headers)
        with caller.getresponse() as answer:
            assert (answer.status, answer.read()) == (200, b"")
