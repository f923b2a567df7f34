"""Forty runs by a worker of twenty threads, against a server that answers each call after one second."""

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from tests.benchmarks import application

RUNS, AT_ONCE, SECONDS = 40, 20, 1.0
RECORD = {
    "name": "Drill",
    "description": "A drill.",
    "specifications": [{"name": "voltage", "value": 18, "unit": "V"}],
    "dimensions": {"length": {"value": 194, "unit": "mm"}},
    "sources": [],
}
BODY = {"flow": "item", "subcategory": "part-3", "source": {"title": "A drill", "text": "18 V, 194 mm"}}


def serve(parent: Connection) -> None:
    """A process of its own: the far end computes elsewhere."""
    from tests.messages_api import MessagesApi, Received, Reply, message

    class Judge(MessagesApi):
        """Passes every record, and answers every other call with one."""

        def _next(self, received: Received) -> Reply:
            judged = "PASS" in json.dumps(received.body) and "FAIL" in json.dumps(received.body)
            return replace(message("PASS" if judged else json.dumps(RECORD)), delay=SECONDS)

    api = Judge()
    api.start()
    parent.send(api.url)
    parent.recv()


@contextmanager
def far_end() -> Iterator[str]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=[theirs], daemon=True)
    process.start()
    yield ours.recv()
    process.terminate()


@contextmanager
def worker(url: str) -> Iterator[None]:
    """The worker as the supervisor starts it."""
    from tests.messages_api import KEY

    environment = {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "FOLDBACK_PROVIDER": "anthropic",
        "FOLDBACK_CONCURRENCY": str(AT_ONCE),
    }
    command = [sys.executable, "-m", "celery", "--app", "config", "worker", "--without-gossip", "--without-mingle",
               "--without-heartbeat", "--loglevel", "ERROR"]  # fmt: skip
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    yield
    process.terminate()
    process.wait(300)


def main(count: int) -> None:
    from django.conf import settings

    from generation.batches import create_many
    from generation.models import Call, Run
    from tests.benchmarks.measuring import report

    application.prepare(1000)
    settings.FOLDBACK_PROVIDER = "anthropic"

    def finished(ids: list[Any]) -> int:
        runs = Run.objects.filter(pk__in=ids)
        while runs.in_progress().exists():
            time.sleep(0.02)
        return runs.filter(status="awaiting_review").count()

    with far_end() as url, worker(url):
        finished(create_many([BODY])[1])  # warms imports and the client
        began = time.perf_counter()
        ids = create_many([BODY] * count)[1]
        done = finished(ids)
        taken = time.perf_counter() - began
    computed = resource.getrusage(resource.RUSAGE_CHILDREN)
    calls = Call.objects.filter(run__in=ids).count()
    alone = calls / min(AT_ONCE, count) * SECONDS
    report(
        f"{count} runs, {AT_ONCE} at once",
        finished=done,
        calls=calls,
        seconds=round(taken, 2),
        worker_cpu_seconds=round(computed.ru_utime + computed.ru_stime, 2),
        baseline="the calls alone",
        baseline_seconds=round(alone, 2),
        ratio=round(taken / alone, 2),
    )


if __name__ == "__main__":
    application.start()
    main(4 if "short" in sys.argv else RUNS)
