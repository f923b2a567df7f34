"""`make bench`: every benchmark, each size in a database of its own with an installation's durability.

SIZES=1000,100000,1000000 (or --full) chooses how many runs the history has, BENCH=reads,growth what is measured;
growth counts buffers in all sizes, and compares times of the first with the last. --short is the form that the
tests run: few acts and runs.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests import postgres

BENCHES = ("reads", "growth", "desk", "writes", "flow", "streams", "processes", "bulk")
ONCE = ("flow", "streams", "processes", "bulk")  # those that no history changes
FULL = "1000,100000,1000000"
DEFAULT = "1000,10000"
SHORT_BENCHES = "reads,growth"


@contextmanager
def server() -> Iterator[None]:
    postgres.start("shared_buffers=1GB", "max_connections=200")
    try:
        yield
    finally:
        postgres.stop()


def run(module: str, *arguments: str, database: str = "postgres") -> int:
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    environment = {
        **os.environ,
        "FOLDBACK_LOG_LEVEL": "ERROR",
        "ALLOWED_HOSTS": "testserver,127.0.0.1",
        "CELERY_BROKER_URL": "",  # the one inside the database
    }
    if "DATABASE_URL" in environment:
        environment["DATABASE_URL"] = _named(database)
    return subprocess.run(command, env=environment).returncode != 0


def _named(database: str) -> str:
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))


def main() -> int:
    short = "--short" in sys.argv
    sizes = (os.environ.get("SIZES") or (FULL if "--full" in sys.argv else DEFAULT)).split(",")
    chosen = os.environ.get("BENCH") or (SHORT_BENCHES if short else ",".join(BENCHES))
    wanted = [name for name in BENCHES if name in chosen.split(",")]
    failed = 0
    if set(wanted) - set(ONCE):
        with server():
            failed += of_histories(sizes, wanted, "1" if short else "10")
    for name in wanted:
        if name in ONCE:
            with server():
                failed += run(f"bench_{name}", *(["short"] if short else []))
    return failed


def of_histories(sizes: list[str], wanted: list[str], times: str) -> int:
    """The desk and writes come last: they change the history."""
    failed = 0
    names = {size: f"runs_{size}" for size in sizes}
    for size, name in names.items():
        with psycopg.connect(_named("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        failed += run("fill", size, database=name)
        if "reads" in wanted:
            failed += run("bench_reads", size, times, database=name)
    if "growth" in wanted and len(sizes) > 1:
        failed += run("bench_growth", times, *names.values(), database=names[sizes[0]])
    for bench in ("desk", "writes"):
        if bench in wanted:
            failed += sum(run(f"bench_{bench}", size, times, database=name) for size, name in names.items())
    return failed


if __name__ == "__main__":
    sys.exit(main())
