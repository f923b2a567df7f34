"""The installation's own key: one for all processes, however many ask for it at once."""

import subprocess
import sys
from pathlib import Path

from config.secret import secret_key


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    key = secret_key(folder)
    assert len(key) >= 50
    assert secret_key(folder) == key
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in folder.iterdir()] == ["secret_key"]


def test_processes_that_start_at_once_get_the_same_key(tmp_path: Path) -> None:
    """Each waits for the starting shot, a folder, so that they meet in the moment of making."""
    program = (
        "import pathlib, sys, config.secret as secret\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "while not folder.exists(): pass\n"
        "print(secret.secret_key(folder))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "data")]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    (tmp_path / "data").mkdir()
    keys = {racer.communicate(timeout=300)[0].strip() for racer in racers}
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
