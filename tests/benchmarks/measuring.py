"""Timing, and one JSON object per line. A ratio to the bare statement of the same run holds on any machine."""

import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from statistics import quantiles
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

Act = Callable[[], object]
ROUNDS = 5


def report(benchmark: str, **facts: Any) -> None:
    sys.stdout.write(json.dumps({"benchmark": benchmark, **facts}) + "\n")
    sys.stdout.flush()


def milliseconds(act: Act) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def compare(benchmark: str, ours: Act, bare: Act, *, baseline: str, times: int, **facts: Any) -> None:
    """Both in turn, in five rounds, so that what else the machine does falls on both.

    cpu_ms: what our process computed itself, which waiting for a busy machine does not add to.
    """
    for act in (ours, bare, ours, bare):
        act()
    with CaptureQueriesContext(connection) as queries:
        ours()
    taken: list[float] = []
    taken_bare: list[float] = []
    computed = 0.0
    for _round in range(ROUNDS):
        computed -= time.process_time()
        taken += [milliseconds(ours) for _ in range(max(1, times // ROUNDS))]
        computed += time.process_time()
        taken_bare += [milliseconds(bare) for _ in range(max(1, times // ROUNDS))]
    p50, p95 = _middle_and_end(taken)
    bare_p50, bare_p95 = _middle_and_end(taken_bare)
    report(
        benchmark,
        **facts,
        queries=len(queries),
        p50_ms=p50,
        p95_ms=p95,
        cpu_ms=round(1000 * computed / len(taken), 2),
        baseline=baseline,
        baseline_p50_ms=bare_p50,
        baseline_p95_ms=bare_p95,
        ratio=round(p50 / bare_p50, 1),
    )


def _middle_and_end(taken: list[float]) -> tuple[float, float]:
    cuts = quantiles(taken, n=20)
    return round(cuts[9], 2), round(cuts[18], 2)


def per_second(act: Callable[[int], object], each: int, connections: int = 8) -> float:
    """How often a second so many processes do it, each on a connection; `act` is told which it is."""
    connection.close()
    # The pool's threads would not be forked, but a lock that one of them holds would.
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's
    fork = multiprocessing.get_context("fork")
    ready = fork.Barrier(connections + 1)

    def one(number: int) -> None:
        connection.ensure_connection()
        ready.wait()
        for _ in range(each):
            act(number)
        connection.close()
        ready.wait()

    processes = [fork.Process(target=one, args=[number], daemon=True) for number in range(connections)]
    for process in processes:
        process.start()
    ready.wait(300)
    began = time.perf_counter()
    ready.wait(600)
    taken = time.perf_counter() - began
    for process in processes:
        process.join(60)
    return round(connections * each / taken, 1)
