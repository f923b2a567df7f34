"""Makes `.venv` and installs a lock file into it; does nothing where that is done already.

Run by make with any Python 3, before anything is installed: standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)


def fail(text: str) -> None:
    sys.exit("foldback: " + text)


def find_python() -> None:
    """Go on in a newer Python of this machine where this one is too old."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(OLDEST[1], 20):
        newer = shutil.which(f"python3.{minor}")
        if newer and subprocess.call([newer, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            os.execv(newer, [newer, *sys.argv])  # noqa: S606
    fail(f"Python 3.11 or newer is needed, and {sys.executable} is {sys.version.split()[0]}")


def fingerprint(lock_file: Path) -> str:
    """What an installation depends on: the lock file's bytes and the Python below it."""
    return hashlib.sha256(lock_file.read_bytes() + (VENV / "pyvenv.cfg").read_bytes()).hexdigest()


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two makes at once: the second waits for the first one's installation."""
    with open(ROOT / ".environment.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_venv() -> None:
    if (VENV / "bin" / "python").exists():
        return
    done = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        told = done.stdout + done.stderr
        fail(f"no virtual environment could be made:\n{told}\nOn Debian and Ubuntu: apt-get install python3-venv")


def install(lock_file: Path) -> None:
    """Install every package at its locked version, its hash checked."""
    stamp = VENV / ("installed-" + lock_file.stem)
    make_venv()
    if stamp.exists() and stamp.read_text() == fingerprint(lock_file):
        return
    sys.stderr.write(f"foldback: installing the packages of {lock_file.name} …\n")
    command = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               "--require-hashes", "--requirement", str(lock_file)]  # fmt: skip
    if subprocess.call(command):
        fail(f"the packages of {lock_file.name} could not be installed; pip's message stands above")
    stamp.write_text(fingerprint(lock_file))


def main() -> None:
    find_python()
    with one_at_a_time():
        for name in sys.argv[1:]:
            install(ROOT / name)


if __name__ == "__main__":
    main()
