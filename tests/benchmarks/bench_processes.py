"""Start-up, memory and size of a whole embedded installation, beside the bare interpreter."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

from tests.benchmarks.measuring import report
from tests.ports import free_port

HERE = Path(__file__).resolve().parents[2]
SETTLES = 10  # seconds after its first answer


def main(settles: float) -> None:
    with tempfile.TemporaryDirectory(prefix="fb-") as data:
        environment = {
            name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")
        }
        environment |= {"FOLDBACK_DATA_DIR": data, "FOLDBACK_DEMO": "0"}
        first, _memory = started(environment, settles)
        again, memory = started(environment, settles)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    bare = time.perf_counter() - began
    report("start to first answer, first", seconds=round(first, 2))
    report(
        "start to first answer, warm",
        seconds=round(again, 2),
        baseline="the interpreter",
        baseline_seconds=round(bare, 3),
    )
    report("idle memory (PSS)", **memory)
    report(
        "installed size",
        mib=round(installed() / 2**20),
        of="the packages of requirements.txt, with the bytecode of what was ever imported",
    )


def started(environment: dict[str, str], settles: float) -> tuple[float, dict[str, int]]:
    """Seconds until /healthz answers, and MiB of all processes so many seconds later; TimeoutError after 400."""
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "config.supervisor"],
        cwd=HERE,
        env={**environment, "PORT": str(port)},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
    )
    try:
        while not answers(port):
            if time.perf_counter() - began > 400 or process.poll() is not None:
                raise TimeoutError("no answer of /healthz")
            time.sleep(0.02)
        taken = time.perf_counter() - began
        time.sleep(settles)
        return taken, memory(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(300)


def answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).close()
    except OSError:
        return False
    return True


def memory(parent: int) -> dict[str, int]:
    """The proportional share of each process below `parent`, the database's apart."""
    ours = database = 0
    for pid in [parent, *children(parent)]:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text()
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        share = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        if "postgres" in command.split("\0")[0]:
            database += share
        else:
            ours += share
    return {"application_mib": ours // 1024, "database_mib": database // 1024}


def children(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        for pid in map(int, task.read_text().split()):
            found += [pid, *children(pid)]
    return found


def installed() -> int:
    """Bytes of what an installation has; the environment here holds what tests need, too."""
    locked = re.findall(r"^([\w.-]+)==", (HERE / "requirements.txt").read_text(), re.MULTILINE)
    return sum(size(name) for name in locked)


def size(package: str) -> int:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return 0  # for another system or interpreter
    paths = {Path(str(file.locate())) for file in files}
    paths |= {Path(cache_from_source(str(path))) for path in paths if path.suffix == ".py"}
    return sum(path.stat().st_size for path in paths if path.is_file())


if __name__ == "__main__":
    main(1 if "short" in sys.argv else SETTLES)
