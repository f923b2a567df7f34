"""Threads of their own: no receiver delays the worker's tasks, and each endpoint has its turn."""

import threading
import time
import uuid
from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from generation.models import WebhookDelivery, WebhookEndpoint
from generation.webhooks import delivering, outbox, tasks
from generation.webhooks.delivering import deliver
from generation.webhooks.lanes import Lanes
from tests.generation.webhooks.conftest import to
from tests.receiver import Says, receiver

A, B, C = (uuid.UUID(int=n) for n in range(3))


def until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.02)


def test_handing_over_takes_no_time_and_no_more_threads_than_lanes() -> None:
    go, at_work, most = threading.Event(), [0], [0]

    def serve(_endpoint: uuid.UUID) -> bool:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        go.wait(60)
        at_work[0] -= 1
        return False

    lanes = Lanes(serve, most=3)
    began = time.monotonic()
    for n in range(50):
        lanes.hand(uuid.UUID(int=n))
    assert time.monotonic() - began < 30, "it waited for one that serves"
    go.set()
    until(lambda: lanes._threads == 0)
    assert most[0] == 3 and not lanes._line


def test_an_endpoint_with_more_to_do_goes_to_the_end_of_the_line() -> None:
    served: list[uuid.UUID] = []
    begin = threading.Event()

    def serve(endpoint: uuid.UUID) -> bool:
        begin.wait(60)
        served.append(endpoint)
        return endpoint == A and served.count(A) < 3

    lanes = Lanes(serve, most=1)
    lanes.hand(A)
    until(lambda: not lanes._line)  # it is served
    for endpoint in (B, B, C):
        lanes.hand(endpoint)
    begin.set()
    until(lambda: lanes._threads == 0)
    assert served == [A, B, C, A, A]


def test_one_that_breaks_ends_no_thread() -> None:
    served: list[uuid.UUID] = []

    def serve(endpoint: uuid.UUID) -> bool:
        served.append(endpoint)
        raise RuntimeError

    lanes = Lanes(serve, most=1)
    for endpoint in (A, B):
        lanes.hand(endpoint)
    until(lambda: lanes._threads == 0)
    assert sorted(served) == [A, B]


@pytest.mark.django_db(transaction=True)
def test_slow_and_dead_receivers_delay_nobody(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve receivers: four that answer, four slow ones, four that never answer. By the worker's tasks."""
    settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS = ["127.0.0.0/8"]
    monkeypatch.setattr(delivering, "TURN_SECONDS", 0.5)
    monkeypatch.setattr("generation.webhooks.sending.TOTAL_SECONDS", 3.0)
    monkeypatch.setattr(tasks, "lanes", Lanes(deliver))
    with receiver() as quick, receiver() as slow, receiver() as dead:
        slow.says = lambda got: Says(after=1.0)
        dead.says = lambda got: Says(after=8.0)
        endpoints = [to(url, "run.finished") for url in (dead.url, slow.url, quick.url) for _ in range(4)]
        for n in range(5):
            outbox.emit("run.finished", {"n": n})
        began = time.monotonic()
        for endpoint in endpoints:
            tasks.deliver_webhooks(str(endpoint.pk))
        assert time.monotonic() - began < 10  # the worker's own threads do not wait: the dead alone take twelve
        until(lambda: len(quick.got) == 20)
        assert time.monotonic() - began < 25  # one after the other, the slow and the dead would take 32 before
        until(lambda: len(slow.got) == 20)
        until(lambda: tasks.lanes._threads == 0)
    states = WebhookDelivery.objects.filter(state="delivered")
    assert states.filter(endpoint__url=quick.url).count() == states.filter(endpoint__url=slow.url).count() == 20
    assert not states.filter(endpoint__url=dead.url).exists()
    assert WebhookEndpoint.objects.filter(url=dead.url, failures__gte=1).count() == 4
