"""Many runs over real HTTP: made a thousand at a time, reviewed one by one, exported; beside COPY of the rows.

The web process is uvicorn's, started as an installation starts it; its peak of memory is the kernel's own (VmHWM).
What workers would do between making and reviewing is written by SQL. BULK=100000 says how many; short: 200.
"""

import http.client
import io
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks import application
from tests.ports import free_port

HERE = Path(__file__).resolve().parents[2]
ROWS = 1000  # of a batch
SHORT = 200
AT_ONCE = 4  # connections that review
TEXT = "18 V, 54 Nm, a text of some length. " * 12
REVIEW = {"decision": "approve", "bad_format": True, "missing_spec": ["voltage"], "notes": "Line 7 says 54 Nm."}
EXPORTS = ("reviews.jsonl", "reviews.csv", "training.jsonl", "training.parquet", "judgements.parquet")
_GENERATED = """
SET LOCAL session_replication_role = replica;
INSERT INTO generation_draft (run_id, revision, round, content, findings, made_by)
SELECT id, 1, 1, jsonb_build_object('name', title, 'description', 'A thing.', 'sources', '[]'::jsonb,
  'specifications', jsonb_build_array(jsonb_build_object('name', 'voltage', 'value', 18, 'unit', 'V')),
  'dimensions', '{}'::jsonb), '[]', 'extraction' FROM generation_run;
INSERT INTO generation_call (run_id, round, cycle, stage, attempt, provider, model, system, "user", request,
  answer, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, cost_usd, duration_ms)
SELECT id, 1, 1, 'extraction', 1, 'demo', 'demo', repeat('Fill the record. ', 40),
  source::text || repeat(' x', 400), '{}', '{"name": "Thing"}', 900, 100, 0, 0, 0, 5 FROM generation_run;
INSERT INTO generation_judgement (run_id, draft_id, round, cycle, kind, outcome, model, result,
  correction_applied, correction_target)
SELECT run_id, id, 1, 1, 'supervisor', 'passed', 'demo', '{"feedback": "", "findings": []}', false, ''
FROM generation_draft;
UPDATE generation_run SET status = 'awaiting_review', judge_outcome = 'passed', revision = 1, finished_at = now();
"""


def main(runs: int) -> None:
    from django.contrib.auth.models import User
    from django.db import connection, transaction

    from generation.access import make_key

    application.prepare(ROWS)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the history is another benchmark's
        cursor.execute("TRUNCATE generation_run, generation_draft, review_reviewevent, generation_runtext CASCADE")
        cursor.execute("SET session_replication_role = origin")
    person = User.objects.get(username="reviewer1")
    secret = make_key("bench", user=person)[1]
    with web() as (port, pid):
        create(Caller(port, secret), pid, runs)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_GENERATED)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        review(port, pid, secret)
        for name in EXPORTS:
            export(Caller(port, secret), pid, name)


class Caller:
    """One kept connection."""

    def __init__(self, port: int, secret: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def __call__(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        data = None if body is None else json.dumps(body)
        self.connection.request(method, f"/api/v1{path}", data, self.headers)
        answer = self.connection.getresponse()
        assert answer.status < 300, (answer.status, answer.read()[:500])
        return answer


@contextmanager
def web() -> Iterator[tuple[int, int]]:
    """The port and the process id of a web process."""
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--port", str(port),
        "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3",
    ]  # fmt: skip
    environment = {**os.environ, "FOLDBACK_API_CALLS_PER_MINUTE": "0"}
    process = subprocess.Popen(command, cwd=HERE, env=environment, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 300
        while not _answers(port):
            assert time.monotonic() < deadline and process.poll() is None, "the web process does not answer"
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(300)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def peak_mib(pid: int) -> float:
    """The most memory that the process ever had."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return round(int(line.split()[1]) / 1024, 1)


def a_run(number: int) -> dict[str, Any]:
    return {"flow": "item", "subcategory": "part-3", "source": {"title": f"Thing {number}", "text": TEXT}}


def create(caller: Caller, pid: int, runs: int) -> None:
    began = time.perf_counter()
    for first in range(0, runs, ROWS):
        body = {"name": "bench", "runs": [a_run(number) for number in range(first, min(first + ROWS, runs))]}
        caller("POST", "/runs/batch", body).read()
    taken = time.perf_counter() - began
    copied = timed(lambda: copy(json.dumps(a_run(number)) for number in range(runs)))
    told("create over HTTP", pid, runs, taken, copied)


def review(port: int, pid: int, secret: str) -> None:
    from generation.models import Run

    ids = list(Run.objects.values_list("pk", flat=True))

    def some(number: int) -> None:
        caller = Caller(port, secret)
        for run_id in ids[number::AT_ONCE]:
            caller("POST", f"/runs/{run_id}/reviews", REVIEW).read()

    began = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(some, range(AT_ONCE)))
    taken = time.perf_counter() - began
    copied = timed(lambda: copy(json.dumps(REVIEW) for _ in ids))
    told("review over HTTP", pid, len(ids), taken, copied)


def export(caller: Caller, pid: int, name: str) -> None:
    """Read in portions and thrown away, but for Parquet, whose rows are told at its end."""
    import pyarrow.parquet

    began, size, rows, kept = time.perf_counter(), 0, 0, io.BytesIO()
    answer = caller("GET", f"/exports/{name}")
    while part := answer.read(1024 * 1024):
        size += len(part)
        rows += part.count(b"\n")
        if name.endswith("parquet"):
            kept.write(part)
    taken = time.perf_counter() - began
    if name.endswith("parquet"):
        rows = pyarrow.parquet.ParquetFile(kept).metadata.num_rows
    rows -= name.endswith("csv")
    table = "generation_judgement" if name.startswith("judgements") else "review_reviewevent"
    copied = timed(lambda: copy_out(table))
    told(f"export of {name} over HTTP", pid, rows, taken, copied, mib=round(size / 2**20, 3))


def told(act: str, pid: int, rows: int, taken: float, copied: float, **more: Any) -> None:
    from tests.benchmarks.measuring import report

    facts = {"rows": rows, "seconds": round(taken, 1), "rows_per_second": round(rows / taken), **more}
    report(act, **facts, peak_mib=peak_mib(pid), baseline="COPY", baseline_rows_per_second=round(rows / copied))


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def copy(bodies: Iterator[str]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE bare")
        with cursor.copy("COPY bare (body) FROM STDIN") as rows:
            for body in bodies:
                rows.write_row([body])


def copy_out(table: str) -> None:
    """The runs, drafts and rows of a table, joined and as JSON: the same texts by the bare statement."""
    from django.db import connection

    joined = (
        f"SELECT to_jsonb(run) || to_jsonb(draft) || to_jsonb(one) FROM {table} one "
        "JOIN generation_run run ON run.id = one.run_id "
        "JOIN generation_draft draft ON draft.run_id = run.id AND draft.revision = run.revision"
    )
    with connection.cursor() as cursor, cursor.copy(f"COPY ({joined}) TO STDOUT") as rows:
        for _part in rows:
            pass


if __name__ == "__main__":
    application.start()
    main(SHORT if "short" in sys.argv else int(os.environ.get("BULK", "100000")))
