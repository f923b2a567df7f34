"""Small programs as agents: a Python body per role, and what they leave can be looked at afterwards."""

import json
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from pytest_django.fixtures import Settings

HEAD = """import os, sys, time, signal, subprocess, socket, json
prompt = sys.stdin.read()
role = sys.argv[-1]
def put(path, text, mode="w"):
    if os.path.dirname(path): os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, mode).write(text)
def verdict(verdict, follow_up="as asked"):
    print(json.dumps({"verdict": verdict, "followUpPrompt": follow_up}))
"""

GOOD = {"implementer": "put('done.txt', 'done\\n')\nprint('done')", "reviewer": "verdict('pass')"}


class Program:
    """The agent program of a test; `play` says what it does in each role."""

    def __init__(self, path: Path, settings: "Settings | LazySettings") -> None:
        self.path, self.settings = path, settings

    def play(self, **bodies: str) -> None:
        """By role; it leaves a file done.txt where nothing else is said."""
        bodies = GOOD | bodies
        cases = "".join(f"if role == {role!r}:\n{_indented(body)}\n" for role, body in bodies.items())
        self.path.write_text(HEAD + cases)
        self.settings.FOLDBACK_AGENT_COMMAND = [sys.executable, str(self.path)]


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.splitlines())


@pytest.fixture
def program(tmp_path: Path, settings: Settings) -> Program:
    found = Program(tmp_path / "agent.py", settings)
    found.play()
    return found


def said(verdict: str, follow_up: str = "as asked") -> str:
    """What a reviewer answers."""
    return json.dumps({"verdict": verdict, "followUpPrompt": follow_up})
