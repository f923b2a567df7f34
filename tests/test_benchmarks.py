"""The short form of what `make bench` measures of writes, runs and processes: that it runs and says all."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parents[1]
SERVER = ("DATABASE_URL", "FOLDBACK_DATA_DIR", "CELERY_BROKER_URL")  # the benchmarks start their own


@pytest.fixture(scope="module")
def lines() -> dict[str, dict[str, Any]]:
    environment = {name: value for name, value in os.environ.items() if name not in SERVER}
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.run", "--short"],
        cwd=HERE,
        env={**environment, "SIZES": "1000", "BENCH": "desk,writes,flow,streams,processes,bulk"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return {line["benchmark"]: line for line in map(json.loads, done.stdout.splitlines())}


def test_writes_alone_by_eight_at_once_and_in_bulk(lines: dict[str, dict[str, Any]]) -> None:
    assert lines["claim"]["queries"] == 2
    assert lines["submit"]["queries"] == 12
    for act in ("claim", "submit"):
        assert lines[act]["p50_ms"] > 0 and lines[act]["baseline_p50_ms"] > 0
        assert lines[f"{act}, 8 connections"]["per_second"] > 0
    assert lines["batch import of 1,000"]["rows_per_second"] > 0


def test_a_review_at_the_desk_is_two_requests(lines: dict[str, dict[str, Any]]) -> None:
    line = lines["submit and next"]
    assert (line["requests"], line["times"]) == (2, 10)
    assert 0 < line["submit"]["p50_ms"] < line["p50_ms"] <= line["p95_ms"]


def test_runs_are_finished_by_a_worker(lines: dict[str, dict[str, Any]]) -> None:
    line = lines["4 runs, 20 at once"]
    assert (line["finished"], line["calls"], line["baseline_seconds"]) == (4, 8, 2.0)
    assert line["seconds"] > 2


def test_streams_are_held_by_one_process_and_few_statements(lines: dict[str, dict[str, Any]]) -> None:
    line = lines["20 open streams on one web process"]
    assert line["held"] == 20 and line["p50_ms"] > 0
    assert line["database_connections"] < 30 and line["statements_per_second"] < 100


def test_an_installation_starts_and_has_a_size(lines: dict[str, dict[str, Any]]) -> None:
    for start in ("first", "warm"):
        assert 0 < lines[f"start to first answer, {start}"]["seconds"] < 400
    assert min(lines["idle memory (PSS)"][of] for of in ("application_mib", "database_mib")) > 0
    assert lines["installed size"]["mib"] > 100


def test_many_runs_go_in_are_reviewed_and_come_out_over_http(lines: dict[str, dict[str, Any]]) -> None:
    for act in ("create over HTTP", "review over HTTP"):
        line = lines[act]
        assert line["rows"] == 200 and line["rows_per_second"] > 0 and line["baseline_rows_per_second"] > 0
        assert 0 < line["peak_mib"] < 400
    for name in ("reviews.jsonl", "reviews.csv", "training.jsonl", "training.parquet", "judgements.parquet"):
        line = lines[f"export of {name} over HTTP"]
        assert line["rows"] == 200 and line["mib"] > 0 and 0 < line["peak_mib"] < 400
