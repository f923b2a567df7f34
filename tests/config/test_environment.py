"""Reading the environment: nothing set is a clean start, a slip is one line, and no secret is ever shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment_variables import Environment

ROOT = Path(__file__).resolve().parent.parent.parent
READS = re.compile(r'(?:\benv(?:\.\w+)?\(|environ\.get\(|environ\[)\s*"([A-Z_]+)"')
NOT_FOR_PEOPLE = {"DJANGO_SETTINGS_MODULE", "PATH"}
READ_BY_OTHERS = {"POSTGRES_PASSWORD", "FORWARDED_ALLOW_IPS"}  # by compose.yaml, and by uvicorn itself


def example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def manage_check(**environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "FOLDBACK_DATA_DIR": os.environ["FOLDBACK_DATA_DIR"], **environment},
        capture_output=True,
        text=True,
    )


def test_the_example_names_what_is_read_and_nothing_else() -> None:
    sources = [
        path for app in ("config", "generation", "review", "learning") for path in (ROOT / app).rglob("*.py")
    ]
    read = {name for path in sources for name in READS.findall(path.read_text())} - NOT_FOR_PEOPLE
    assert set(example()) == read | READ_BY_OTHERS


def test_checks_are_silent_with_nothing_set_and_with_the_example() -> None:
    for environment in ({}, {name: value for name, value in example().items() if name != "FOLDBACK_DATA_DIR"}):
        done = manage_check(**environment)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "value", "id"),
    [
        ("DATABASE_URL", "postgres://me:geheim@[::1/name", "foldback.E001"),
        ("DATABASE_URL", "postgres://me:geheim@host:port/name", "foldback.E001"),
        ("DATABASE_URL", "mysql://me:geheim@host/name", "foldback.E001"),
        ("DATABASE_URL", "geheim", "foldback.E001"),
        ("DATABASE_URL", "postgres://me:geheim@host", "foldback.E001"),
        ("FOLDBACK_CONCURRENCY", "geheim", "foldback.E001"),
        ("FOLDBACK_SPEND_CAP_USD", "geheim", "foldback.E001"),
        ("FOLDBACK_AGENT_COMMAND", '["geheim', "foldback.E001"),
        ("FOLDBACK_LOG_LEVEL", "geheim", "foldback.E001"),
        ("FOLDBACK_FLOWS", "geheim", "foldback.E001"),
    ],
)
def test_an_unreadable_variable_is_told_by_name_without_its_value(name: str, value: str, id: str) -> None:
    done = manage_check(**{name: value})
    assert done.returncode == 1
    assert f"({id}) {name} cannot be read" in done.stderr
    assert "Traceback" not in done.stderr
    assert "geheim" not in done.stderr + done.stdout


def test_an_empty_variable_is_unset_and_a_dollar_is_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDBACK_A", "")
    monkeypatch.setenv("FOLDBACK_B", "$secret")
    env = Environment()
    assert env.int("FOLDBACK_A", default=7) == 7
    assert env.str("FOLDBACK_B", default="") == "$secret"
    assert env.problems == {}
