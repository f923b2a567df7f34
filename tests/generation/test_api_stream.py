"""A run's events over a real ASGI server, and the text of the stream."""

import asyncio
import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from config.asgi import application
from generation import following, looking, progress
from generation.models import NodeEvent, Run, Status
from tests.callers import Caller
from tests.factories import RunFactory
from tests.streams import SECONDS, message, serving, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[int]:
    with serving(application) as port:
        yield port


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "POLL_SECONDS", 0.02)


Follow = Callable[..., http.client.HTTPResponse]


@pytest.fixture
def follow(server: int) -> Iterator[Follow]:
    """Opens the stream of a run, as `secret`, behind the event `after`."""
    with contextlib.ExitStack() as opened:

        def asked(run: Run, secret: str, after: str = "") -> http.client.HTTPResponse:
            caller = http.client.HTTPConnection("127.0.0.1", server, timeout=SECONDS)
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
    few = "the pool that looks has a few, the streams have none"
    wait_for(few, lambda: threading.active_count() < threads + 10)
    wait_for("and so with connections", lambda: open_connections() < 12)
    for _ in range(10):
        page(server)
    Run.objects.update(status=Status.STOPPED)
    assert all(b"stopped" in answer.read() for answer in answers)


def open_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def page(server: int) -> None:
    """One that reads the database: it is not held up until the streams end."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server, timeout=SECONDS)) as caller:
        caller.request("GET", "/readyz")
        with caller.getresponse() as answer:
            assert answer.status in (200, 503) and answer.read()


def test_a_stream_that_its_reader_left_is_over(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    run, looks, news = RunFactory(status=Status.GENERATING), [0], looking.news

    def counted(places: Any) -> Any:
        looks[0] += run.pk in {run_id for run_id, _ in places}
        return news(places)

    monkeypatch.setattr(looking, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(following, "KEEP_ALIVE_SECONDS", 0.1)
    monkeypatch.setattr(looking, "news", counted)
    answer = follow(run, Caller("read").secret)
    wait_for("looks", lambda: looks[0] > 2)
    answer.close()
    wait_for("the last look", lambda: quiet_for(1, lambda: looks[0]))


def quiet_for(seconds: float, count: Callable[[], int]) -> bool:
    """Whether it counts nothing more in that time."""
    before = count()
    time.sleep(seconds)
    return count() == before


def test_a_quiet_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunFactory(status=Status.GENERATING)
    monkeypatch.setattr(following, "KEEP_ALIVE_SECONDS", 0.02)

    async def first() -> str:
        return await anext(following.events(run.id, 0, looking.Seen(run.status)))

    assert asyncio.run(first()).startswith(":")


def test_all_streams_are_looked_for_together(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    news = looking.news

    def counted(places: Any) -> Any:
        looks.append(len(places))
        return news(places)

    monkeypatch.setattr(looking, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(following, "KEEP_ALIVE_SECONDS", 600)
    secret = Caller("read").secret
    runs = RunFactory.create_batch(30, status=Status.GENERATING)
    answers = [follow(run, secret) for run in (*runs, *runs[:5])]
    begun = time.monotonic()
    monkeypatch.setattr(looking, "news", counted)
    wait_for("looks for all", lambda: looks.count(30) > 8)
    most = (time.monotonic() - begun) / 0.1 + 2
    assert set(looks[looks.index(30) :]) == {30} and len(looks) <= most, "one look for all, and a run once"
    with transaction.atomic():
        for run in runs:
            progress.entered(run.id, "extraction", badge="", round=1, attempt=1)
    assert [message(answer)["data"]["node"] for answer in answers] == ["extraction"] * 35


def test_many_are_opened_at_the_same_moment(server: int) -> None:
    """More than there are connections: none waits for another's."""
    run, secret = RunFactory(status=Status.STOPPED), Caller("read").secret
    with ThreadPoolExecutor(60) as people:
        ends = list(people.map(lambda _: read_whole(server, run, secret), range(60)))
    assert set(ends) == {200}


def read_whole(port: int, run: Run, secret: str) -> int:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as caller:
        headers = {"Authorization": f"Bearer {secret}"}
        caller.request("GET", f"/api/v1/runs/{run.id}/events", headers=headers)
        with caller.getresponse() as answer:
            assert b"stopped" in answer.read()
            return answer.status


def test_streams_outlive_a_database_that_is_away(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    run, news, failed = RunFactory(status=Status.GENERATING), looking.news, threading.Event()

    def away(places: Any) -> Any:
        failed.set()
        raise OperationalError("gone")

    monkeypatch.setattr(looking, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(looking, "AWAY_SECONDS", 0.05)
    answer = follow(run, Caller("read").secret)
    monkeypatch.setattr(looking, "news", away)
    assert failed.wait(SECONDS)
    progress.entered(run.id, "extraction", badge="", round=1, attempt=1)
    monkeypatch.setattr(looking, "news", news)
    assert message(answer)["data"]["node"] == "extraction"


def test_the_export_is_streamed_over_asgi(server: int) -> None:
    headers = {"Authorization": f"Bearer {Caller('read').secret}"}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server, timeout=SECONDS)) as caller:
        caller.request("GET", "/api/v1/exports/reviews.jsonl", headers=headers)
        with caller.getresponse() as answer:
            assert (answer.status, answer.read()) == (200, b"")
