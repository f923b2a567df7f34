"""The far end of the network as the workers under test see it: the demo, slower, that counts who asked what.

Each request is one line in a file that outlives every killed process: when, from which process, and a digest of
the prompt. A line is one `write` with O_APPEND, so that no two processes mix theirs.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generation import providers
from generation.providers.base import Answer, Request

NAME = "far-end"


def digest(stage: str, system: str, user: str) -> str:
    return hashlib.sha256("\0".join((stage, system, user)).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Asked:
    """One request as it arrived. The time is the machine's, the one that the database uses too."""

    at: float
    pid: int
    prompt: str


class FarEnd:
    name = NAME
    label = "Far end"

    def answer(self, request: Request) -> Answer:
        prompt = digest(request.stage, request.system, request.user)
        line = json.dumps({"at": machine_time(), "pid": os.getpid(), "prompt": prompt}) + "\n"
        log = os.open(os.environ["FAR_END_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(log, line.encode())
        finally:
            os.close(log)
        time.sleep(float(os.environ["FAR_END_SECONDS"]))
        return providers.provider("demo").answer(request)


def machine_time() -> float:
    """The time that a process whose clock is off cannot bend: that of a file just touched."""
    path = Path(os.environ["FAR_END_LOG"]).with_suffix(f".{os.getpid()}")
    path.touch()
    os.utime(path)
    return path.stat().st_mtime


def asked(log: Path) -> Iterator[Asked]:
    """Every request so far."""
    if log.exists():
        for line in log.read_text().splitlines():
            yield Asked(**json.loads(line))


PROVIDER = FarEnd()
