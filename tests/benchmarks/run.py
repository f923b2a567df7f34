"""`make bench`: every benchmark, each size in a database of its own with an installation's durability.

SIZES=1000,100000,1000000 (or --full) chooses how many runs the history has; BENCH=reads,writes what is measured.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests import postgres

BENCHES = ("reads", "writes", "flow", "processes")
ONCE = ("flow", "processes")  # those that no history changes
FULL = "1000,100000,1000000"
SHORT = "10000"


@contextmanager
def server() -> Iterator[None]:
    postgres.start("shared_buffers=1GB", "max_connections=200")
    try:
        yield
    finally:
        postgres.stop()


def run(module: str, *arguments: str) -> int:
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    environment = {
        **os.environ,
        "FOLDBACK_LOG_LEVEL": "ERROR",
        "ALLOWED_HOSTS": "testserver,127.0.0.1",
        "CELERY_BROKER_URL": "",  # the one inside the database
    }
    return subprocess.run(command, env=environment).returncode != 0


def main() -> int:
    sizes = (os.environ.get("SIZES") or (FULL if "--full" in sys.argv else SHORT)).split(",")
    wanted = [name for name in BENCHES if name in os.environ.get("BENCH", ",".join(BENCHES)).split(",")]
    failed = 0
    for size in sizes:
        if {"reads", "writes"}.intersection(wanted):
            with server():
                failed += run("fill", size)
                failed += sum(run(f"bench_{name}", size) for name in wanted if name not in ONCE)
    for name in wanted:
        if name in ONCE:
            with server():
                failed += run(f"bench_{name}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
