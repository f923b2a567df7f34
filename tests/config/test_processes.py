"""One child of the supervisor: restarted a little later each time, given up on, stopped, its log kept small."""

import signal
import sys
import time
from pathlib import Path

import pytest

from config import processes
from config.processes import Child, KeepsDying


def child(tmp_path: Path, program: str, **given: float) -> Child:
    return Child("child", [sys.executable, "-c", program], tmp_path / "child.log", **given)  # type: ignore[arg-type]


def wait(made: Child) -> None:
    assert made.process
    made.process.wait()


def test_one_that_keeps_dying_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    made = child(tmp_path, "import sys; sys.exit('no such table')")
    made.start()
    told = []
    for _ in range(8):
        wait(made)
        told.append(made.watch())
        made.restart_at = min(made.restart_at, time.monotonic())  # spare the test the waiting
    wait(made)
    assert [words for words in told if words.endswith("again")] == ["child started again"] * 4
    with pytest.raises(KeepsDying, match=r"(?s)child ended with 1, 5 times in a minute.*no such table"):
        made.watch()


def test_it_waits_longer_after_each_death(tmp_path: Path) -> None:
    made = child(tmp_path, "")
    waits = []
    for _ in range(4):
        made.start().wait()
        made.restart_at = 0
        made.watch()
        waits.append(made.restart_at - made.deaths[-1])
    assert [round(wait, 6) for wait in waits] == [0.5, 1, 2, 4]


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "import signal as s, time; s.signal(s.SIGTERM, s.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
    ],
)
def test_it_stops_also_when_it_does_not_listen(tmp_path: Path, program: str) -> None:
    made = child(tmp_path, program, grace=0.5)
    process = made.start()
    while "deaf" in program and not made.log.read_text():
        time.sleep(0.02)
    made.stop()
    assert process.returncode in (-signal.SIGTERM, -signal.SIGKILL)
    assert not made.is_running


def test_a_large_log_goes_on_in_an_empty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LARGEST_LOG", 3)
    made = child(tmp_path, "print('more than three')")
    made.start().wait()
    made.trim_log()
    assert made.log.read_text() == ""
    assert (tmp_path / "child.log.1").read_text() == "more than three\n"
    made.start().wait()
    assert made.log.read_text() == "more than three\n"
