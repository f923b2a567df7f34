"""Folders for one call each, taken away when it is over; what a killed worker left goes with the next call."""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

YOUNG = 60  # seconds


def _parent() -> Path:
    folder = Path(settings.DATA_DIR) / "agents"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder that nobody else may enter. A lock that dies with its process says that it is in use."""
    parent = _parent()
    _sweep(parent)
    place = Path(tempfile.mkdtemp(prefix="call-", dir=parent))
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield place
        finally:
            remove(place)


def _sweep(parent: Path) -> None:
    for place in parent.glob("call-*"):
        with suppress(OSError), open(place / "lock") as lock:
            if time.time() - place.stat().st_mtime < YOUNG:
                continue  # its lock may not be taken yet
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(place)


def remove(path: Path) -> None:
    """The file, link or folder, though nobody may write into the folders in it. Links are not followed."""
    if path.is_dir() and not path.is_symlink():
        unlocked(path)
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def unlocked(folder: Path) -> None:
    """Make every folder and file below readable to us again. Links are not followed."""
    os.chmod(folder, 0o700)
    for here, folders, files in os.walk(folder):
        for name in folders:
            _allow(os.path.join(here, name), stat.S_IRWXU)
        for name in files:
            _allow(os.path.join(here, name), stat.S_IRUSR)


def _allow(path: str, wanted: int) -> None:
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        if not stat.S_ISLNK(mode) and mode & wanted != wanted:
            os.chmod(path, stat.S_IMODE(mode) | wanted)
