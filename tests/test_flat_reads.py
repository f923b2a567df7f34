"""What people and workers wait for reads no more of ten times the history: buffers and statements, never time.

This runs the short form of `make bench` as it stands, so that the benchmarks cannot rot either.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.acts import PAGES

HERE = Path(__file__).resolve().parents[1]
SMALL, LARGE = 1_000, 10_000
SERVER = ("DATABASE_URL", "FOLDBACK_DATA_DIR", "CELERY_BROKER_URL")  # the benchmarks start their own
# An index that is a level deeper costs a page more per look-up. What reads a history reads ten times as much.
GROWS_AT_MOST = 1.5
# What looks at so many runs and then says so: beyond that nothing grows (1,000 of a page, 5,000 of a count; 200 of
# a trigger's life; a page of the runs in which judge and people differ, which a thousand runs do not fill).
LOOKS = {
    "list of a subcategory", "list of an outcome", "list of an outcome that no run has", "list of an institution",
    "list of who reviewed", "search, a word that one in a hundred has",
    "search, a word that one in a thousand has", "search in the queue, a word that all have",
    "page /learning/part-2/life/", "page /learning/judges/runs/?flow=item&criterion=verdict&of=passes",
}  # fmt: skip
LOOKS_AT_MOST = 4_000  # buffers
STATEMENTS = {
    "window": 2,
    "resolution": 3,
    "resolution, three stages": 7,
    "resolution under steady": 3,
    "claim": 2,
    "queue, count": 1,
    "queue, whole list page": 12,
    "failed runs, whole list page": 12,
    "all runs, whole list page": 12,
    "list of a flow": 13,
    "list of a subcategory": 15,
    "list of an outcome": 15,
    "list of some days": 13,
    "runs over REST, first page": 1,
    "runs over REST, deep page": 1,
    "statistics of a subcategory": 5,
    "statistics of all subcategories": 6,
    "overview, figures": 5,
}
READS = {
    "window", "resolution", "queue, whole list page", "queue, count",
    "runs over REST, first page", "runs over REST, deep page", "statistics of a subcategory",
    "statistics of all subcategories", "overview, figures",
}  # fmt: skip
GROWN = STATEMENTS.keys() | {
    "claim and submit", "submit and next", "runs that a person reviewed, over REST", "subcategories over REST",
    "overview, whole page", "runs in the administration",
    "reviews in the administration", "all runs, deep page", "list of a status", "list of a batch",
    "list of who holds", "search, a word that all have", "search, two words that all have",
    "search, a word that ten runs have", "search, no word", *LOOKS, *(f"page {path}" for path in PAGES),
}  # fmt: skip


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    environment = {name: value for name, value in os.environ.items() if name not in (*SERVER, "SIZES", "BENCH")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.run", "--short"],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def buffers(lines: list[dict[str, Any]], runs: int) -> dict[str, dict[str, Any]]:
    return {line["act"]: line for line in lines if line["benchmark"] == "buffers" and line["runs"] == runs}


def test_reads_touch_no_more_of_ten_times_the_history(lines: list[dict[str, Any]]) -> None:
    small, large = (buffers(lines, runs) for runs in (SMALL, LARGE))
    assert small.keys() == large.keys() == GROWN
    read = {act: (small[act]["by_index"], large[act]["by_index"]) for act in small}
    grown = {act for act, both in read.items() if both[1] > GROWS_AT_MOST * both[0] + 2}
    assert {act: read[act] for act in grown - LOOKS} == {}
    assert {act: read[act] for act in LOOKS if read[act][1] > LOOKS_AT_MOST} == {}


def test_reads_take_as_many_statements_as_they_say(lines: list[dict[str, Any]]) -> None:
    for runs in (SMALL, LARGE):
        assert {act: buffers(lines, runs)[act]["statements"] for act in STATEMENTS} == STATEMENTS


def test_every_line_of_the_benchmarks_is_there(lines: list[dict[str, Any]]) -> None:
    told = {(line["benchmark"], line.get("runs")) for line in lines}
    assert {(read, runs) for read in (*READS, "fill") for runs in (SMALL, LARGE)} <= told
    for line in lines:
        if line["benchmark"] in READS:
            assert line["p50_ms"] > 0 and line["baseline_p50_ms"] > 0 and line["queries"] > 0
    growth = {line["act"]: line for line in lines if line["benchmark"] == "growth"}
    assert growth.keys() == GROWN
    assert all(line["of"] == [SMALL, LARGE] and len(line["ratios"]) == 5 for line in growth.values())
