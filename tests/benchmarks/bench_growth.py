"""The same acts in databases that differ in their history alone: buffers, and how much longer each takes.

The first and the last are held against each other in time: the acts are done in turn in one process, so that what
else the machine does falls on both. Each is rolled back, so that the next finds what the last one found.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from tests.benchmarks import application

ROUNDS = 5


def main(databases: list[str], times: int) -> None:
    from django.db import connections

    from tests.benchmarks.acts import Act, acts, undone
    from tests.benchmarks.buffers import touched
    from tests.benchmarks.measuring import milliseconds, report

    opened = {}
    for name in databases:
        opened[name] = connections["default"].copy()
        opened[name].settings_dict["NAME"] = name

    @contextmanager
    def inside(name: str) -> Iterator[None]:
        """Everything that asks for a connection gets this database's."""
        before, connections["default"] = connections["default"], opened[name]
        try:
            yield
        finally:
            connections["default"] = before

    known: dict[str, dict[str, Act]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for name in databases:
        with inside(name):
            known[name] = acts()
            facts[name] = {"runs": runs_of(name)}
            for act, do in known[name].items():
                planned, by_index = touched(do), touched(do, by_index=True)
                report(
                    "buffers",
                    act=act,
                    **facts[name],
                    buffers=planned.touched,
                    by_index=by_index.touched,
                    statements=planned.statements,
                )

    small, large = databases[0], databases[-1]

    def taken(name: str, act: str) -> float:
        with inside(name):
            return milliseconds(lambda: undone(known[name][act]))

    for act in known[small]:
        rounds = []
        for _round in range(ROUNDS):
            turns = [(taken(small, act), taken(large, act)) for _ in range(times)]
            rounds.append(tuple(median(one) for one in zip(*turns, strict=True)))
        report(
            "growth",
            act=act,
            of=[facts[name]["runs"] for name in (small, large)],
            p50_ms=[round(median(one), 2) for one in zip(*rounds, strict=True)],
            ratios=[round(after / before, 2) for before, after in rounds],
            ratio=round(median(after / before for before, after in rounds), 2),
        )


def runs_of(database: str) -> int:
    """How long its history is, as run.py named it."""
    return int(database.removeprefix("runs_"))


if __name__ == "__main__":
    application.start()
    main(sys.argv[2:], int(sys.argv[1]))
