"""From embedded to server, and back from a backup: pg_dump and pg_restore as docs/deploy.md has them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from psycopg import sql

from config.postgres import binaries
from tests.config.test_environment import ROOT

SERVER = os.environ.get("DATABASE_URL", "")
SECRET = "k3y-" + "abcdefghij" * 6
REVIEWED = {
    "flow": "item",
    "source": {"title": "Nordwind ND 18"},
    "output": {"name": "ND 18", "description": None, "specifications": [], "dimensions": {}, "sources": []},
    "reviews": [{"decision": "approve", "reviewer": "Mia Koch", "notes": "fine"}],
}
pytestmark = pytest.mark.skipif("?host=" not in SERVER, reason="not our own server")


def url(name: str) -> str:
    return SERVER.replace("/postgres?", f"/{name}?")


@pytest.fixture
def names() -> Iterator[tuple[str, str]]:
    """An empty database to move from, and one to move to."""
    made = f"from_{os.getpid()}", f"to_{os.getpid()}"
    with psycopg.connect(SERVER, autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield made
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def python(folder: Path, name: str, *arguments: str, **environment: str) -> str:
    given = {"PATH": os.environ["PATH"], "FOLDBACK_DATA_DIR": str(folder), "DATABASE_URL": url(name)}
    command, own = [sys.executable, *arguments], {**given, "SECRET_KEY": SECRET, **environment}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def postgres(program: str, *arguments: str) -> None:
    host = parse_qs(urlsplit(SERVER).query)["host"][0]
    command = [str(binaries() / program), f"--host={host}", "--username=postgres", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def rows(name: str) -> dict[str, int]:
    """How many of everything, by table."""
    with psycopg.connect(url(name)) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        counted = {}
        for (table,) in tables:
            found = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
            counted[table] = found[0] if found else 0
    return counted


def test_everything_moves_and_stays_protected(names: tuple[str, str], tmp_path: Path) -> None:
    old, new = names
    told = python(tmp_path, old, "-m", "config.prepare", FOLDBACK_DEMO="0")  # with the embedded broker's tables
    assert "Password:" in told
    past = tmp_path / "past.jsonl"
    past.write_text(json.dumps(REVIEWED))
    python(tmp_path, old, "manage.py", "import_runs", str(past))
    before = rows(old)
    assert before["review_reviewevent"] > 0 and before["generation_run"] > 0

    dump = tmp_path / "foldback.dump"
    postgres("pg_dump", "--format=custom", "--no-owner", "--exclude-schema=pgmq", f"--file={dump}", old)
    postgres("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={new}", str(dump))
    assert rows(new) == before

    redis = {"CELERY_BROKER_URL": "redis://127.0.0.1:1/0", "FOLDBACK_DEMO": "0"}
    assert python(tmp_path, new, "-m", "config.prepare", **redis) == ""  # nothing is made again, no second admin
    assert rows(new) == before
    with psycopg.connect(url(new)) as connection, pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        connection.execute("UPDATE review_reviewevent SET notes = ''")
    exported = [python(tmp_path, name, "manage.py", "export_reviews", **redis) for name in names]
    assert exported[0] == exported[1] != ""
