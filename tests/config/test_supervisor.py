"""The supervisor, really started: ready, restarted, refused, stopped, and killed."""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from psycopg import sql

from tests.config.conftest import Installation

TEXT = "Nordwind ND 18\nVoltage: 18 V\nLength: 194 mm\nWeight: 1.7 kg"
CHECKS = {"database", "migrations", "append_only", "broker", "worker"}


def test_it_gets_ready_refuses_a_second_one_mends_itself_and_stops(
    installation: Installation, refused: Callable[..., str]
) -> None:
    process = installation.start()
    assert installation.wait_until_ready(process) == {"ready": True, "checks": dict.fromkeys(CHECKS, "ok")}
    assert installation.get("/login/")[0] == 200

    assert f"already: process {process.pid}, http://127.0.0.1:{installation.port}" in refused()

    with installation.connect() as connection:
        found = connection.execute("SELECT rolsuper, now() FROM pg_roles WHERE rolname = current_user").fetchone()
    assert found and found[0] is False
    kill_children(installation)
    assert came_back(installation, killed_at=found[1]), installation.logs()
    assert generated(installation) == ("awaiting_review",), installation.logs()

    process.send_signal(signal.SIGTERM)
    told = process.communicate(timeout=300)[0]
    assert process.returncode == 0, told
    assert installation.processes() == []
    assert told.count("Password:") == 1
    assert f"http://127.0.0.1:{installation.port}" in told


def test_a_killed_one_leaves_nothing_running_and_comes_back_with_its_data(installation: Installation) -> None:
    process = installation.start()
    installation.wait_until_ready(process)
    assert proxies_of_web(installation) == {""}, "uvicorn believes every program of this machine by itself"
    with installation.connect() as connection:
        connection.execute("INSERT INTO generation_category (name) VALUES ('kept')")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert installation.wait_until_gone() == []

    process = installation.start(FORWARDED_ALLOW_IPS="192.0.2.9")
    installation.wait_until_ready(process)
    assert proxies_of_web(installation) == {"192.0.2.9"}
    with installation.connect() as connection:
        assert connection.execute("SELECT name FROM generation_category").fetchall() == [("kept",)]
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=300)[0]
    assert process.returncode == 0, told
    assert installation.processes() == []
    assert "Password:" not in told


def proxies_of_web(installation: Installation) -> set[str]:
    """Whom the web process believes about the addresses of others."""
    found = set()
    for pid in installation.processes():
        process = Path(f"/proc/{pid}")
        if b"uvicorn" in (process / "cmdline").read_bytes():
            given = dict(line.split(b"=", 1) for line in (process / "environ").read_bytes().split(b"\0") if line)
            found.add(given.get(b"FORWARDED_ALLOW_IPS", b"127.0.0.1").decode())
    return found


def test_a_port_in_use_is_told_before_anything_starts(
    installation: Installation, refused: Callable[..., str]
) -> None:
    with socket.create_server(("127.0.0.1", installation.port)):
        told = refused()
    assert f"port {installation.port} cannot be had" in told
    assert not (installation.folder / "postgres").exists()


def test_a_database_of_another_version_is_told(installation: Installation, refused: Callable[..., str]) -> None:
    (installation.folder / "postgres").mkdir()
    (installation.folder / "postgres" / "PG_VERSION").write_text("9\n")
    assert "was made by PostgreSQL 9" in refused()


def test_an_unreadable_variable_is_told_without_its_value(refused: Callable[..., str]) -> None:
    told = refused(DATABASE_URL="postgres://me:geheim@host:notaport/name")
    assert "DATABASE_URL: not of the form" in told
    assert "geheim" not in told


def test_a_database_of_ones_own_replaces_the_embedded_one(installation: Installation) -> None:
    name = f"supervised_{installation.port}"
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    process = installation.start(DATABASE_URL=server.replace("/postgres?", f"/{name}?"))
    try:
        installation.wait_until_ready(process)
        assert not (installation.folder / "postgres").exists()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def generated(installation: Installation, seconds: float = 240) -> tuple[str] | None:
    """How a run ends that is made by a command: its task goes through the broker to the worker."""
    with installation.connect() as connection:
        connection.execute(
            "WITH made AS (INSERT INTO generation_category (name) VALUES ('Tools') RETURNING id)"
            " INSERT INTO generation_subcategory (slug, name, category_id) SELECT 'drills', 'Drills', id FROM made"
        )
        installation.manage("generate", "--flow=item", "--subcategory=drills", "--source=-", input=TEXT)
        deadline = time.monotonic() + seconds
        ended: tuple[str] | None = None
        while ended is None and time.monotonic() < deadline:
            time.sleep(0.2)
            ended = connection.execute(
                "SELECT status FROM generation_run WHERE finished_at IS NOT NULL"
            ).fetchone()
    return ended


def kill_children(installation: Installation) -> None:
    """Database, scheduler, worker and web, all at once; not the supervisor."""
    killed = set()
    for pid in installation.processes():
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read().decode().split("\0")
        if {"uvicorn", "celery", "-D"} & set(command):
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
    assert len(killed) == 4


def came_back(installation: Installation, killed_at: datetime, seconds: float = 240) -> bool:
    """The web process answers again, and the worker gave a sign of life after the killing."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.2)
        with contextlib.suppress(psycopg.OperationalError), installation.connect() as connection:
            fresh = "SELECT count(*) FROM generation_workerheartbeat WHERE seen_at > %s"
            beats = connection.execute(fresh, [killed_at + timedelta(seconds=1)]).fetchone()
            if beats == (1,) and installation.get("/readyz")[0] == 200:
                return True
    return False
