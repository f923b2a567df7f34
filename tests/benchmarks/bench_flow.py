"""Forty runs at a concurrency of twenty, against a server that answers each call after one second."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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


def main() -> None:
    from django.conf import settings
    from django.db import connection

    from generation import runs
    from generation.intake import parse
    from generation.models import Call, Run
    from generation.pipeline import generate
    from tests.benchmarks.measuring import report
    from tests.messages_api import KEY, MessagesApi, Received, Reply, message

    application.prepare(1000)

    class Judge(MessagesApi):
        """Passes every record, and answers every other call with one."""

        def _next(self, received: Received) -> Reply:
            judged = "PASS" in json.dumps(received.body) and "FAIL" in json.dumps(received.body)
            return replace(message("PASS" if judged else json.dumps(RECORD)), delay=SECONDS)

    api = Judge()
    api.start()
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL, settings.FOLDBACK_PROVIDER = KEY, api.url, "anthropic"
    body = parse({"flow": "item", "subcategory": "part-3", "source": {"title": "A drill", "text": "18 V, 194 mm"}})

    def make(run: Any) -> None:
        try:
            generate(run.pk)
        finally:
            connection.close()

    generate(runs.create(body).pk)  # warms imports and the client
    made = [runs.create(body) for _ in range(RUNS)]
    connection.close()
    began, computed = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(make, made))
    taken, computed = time.perf_counter() - began, time.process_time() - computed
    ids = [run.pk for run in made]
    calls = Call.objects.filter(run__in=ids).count()
    alone = calls / AT_ONCE * SECONDS
    report(
        "40 runs, 20 at once",
        finished=Run.objects.filter(pk__in=ids, status="awaiting_review").count(),
        calls=calls,
        seconds=round(taken, 2),
        cpu_seconds=round(computed, 2),
        baseline="the calls alone",
        baseline_seconds=round(alone, 2),
        ratio=round(taken / alone, 2),
    )
    api.stop()


if __name__ == "__main__":
    application.start()
    main()
