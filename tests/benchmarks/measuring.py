"""Timing, and one JSON object per line. A ratio to the bare statement of the same run holds on any machine."""

import json
import sys
import time
from collections.abc import Callable, Iterable
from statistics import quantiles
from typing import Any


def milliseconds(act: Callable[[Any], object], over: Iterable[Any], warm_up: int = 20) -> list[float]:
    """How long `act` took on each of `over`; the first ones warm caches and do not count."""
    taken = []
    for one in over:
        began = time.perf_counter()
        act(one)
        taken.append((time.perf_counter() - began) * 1000)
    return taken[warm_up:]


def report(benchmark: str, taken: list[float], *, baseline: str, bare: list[float], **facts: Any) -> None:
    cuts, bare_cuts = quantiles(taken, n=20), quantiles(bare, n=20)
    line = {
        "benchmark": benchmark,
        **facts,
        "times": len(taken),
        "p50_ms": round(cuts[9], 3),
        "p95_ms": round(cuts[18], 3),
        "baseline": baseline,
        "baseline_p50_ms": round(bare_cuts[9], 3),
        "ratio_p50": round(cuts[9] / bare_cuts[9], 1),
        "ratio_p95": round(cuts[18] / bare_cuts[18], 1),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
