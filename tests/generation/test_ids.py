"""Identifiers rise as they are made, and are what RFC 9562 says."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from generation import ids
from generation.ids import uuid7


def test_they_rise_also_within_a_millisecond() -> None:
    made = [uuid7() for _ in range(10_000)]
    assert made == sorted(made)
    assert len({one.int >> 64 for one in made}) == len(made)


def test_they_rise_when_the_clock_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = uuid7()
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000_000_000_000)
    assert before < uuid7() < uuid7()


def test_threads_make_no_two_alike() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: uuid7(), range(4_000)))
    assert len({one.int >> 64 for one in made}) == 4_000


def test_version_variant_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_last", 0)  # another test of this process may have set the clock ahead
    before = time.time_ns() // 1_000_000
    made = uuid7()
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert 0 <= (made.int >> 80) - before < 1_000
