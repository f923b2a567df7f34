"""The supervisor, really started: ready, restarted, refused, stopped, and killed."""

import os
import signal
import socket
import time
from collections.abc import Callable

from tests.config.conftest import Installation

CHECKS = {"database", "migrations", "append_only", "broker", "worker"}


def test_it_gets_ready_refuses_a_second_one_mends_itself_and_stops(
    installation: Installation, refused: Callable[..., str]
) -> None:
    process = installation.start()
    assert installation.wait_until_ready(process) == {"ready": True, "checks": dict.fromkeys(CHECKS, "ok")}
    assert installation.get("/login/")[0] == 200

    assert f"already: process {process.pid}, http://127.0.0.1:{installation.port}" in refused()

    with installation.connect() as connection:
        assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (
            False,
        )
    kill_children(installation, "uvicorn", "celery")
    assert came_back(installation), installation.logs()

    process.send_signal(signal.SIGTERM)
    told = process.communicate(timeout=30)[0]
    assert process.returncode == 0, told
    assert installation.processes() == []
    assert told.count("Password:") == 1
    assert f"http://127.0.0.1:{installation.port}" in told


def test_a_killed_one_leaves_nothing_running_and_comes_back_with_its_data(installation: Installation) -> None:
    process = installation.start()
    installation.wait_until_ready(process)
    with installation.connect() as connection:
        connection.execute("INSERT INTO generation_category (name) VALUES ('kept')")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert installation.wait_until_gone() == []

    process = installation.start()
    installation.wait_until_ready(process)
    with installation.connect() as connection:
        assert connection.execute("SELECT name FROM generation_category").fetchall() == [("kept",)]
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)[0]
    assert process.returncode == 0, told
    assert installation.processes() == []
    assert "Password:" not in told


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


def kill_children(installation: Installation, *programs: str) -> None:
    for pid in installation.processes():
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read().decode().split("\0")
        if any(program in command for program in programs):
            os.kill(pid, signal.SIGKILL)


def came_back(installation: Installation, seconds: float = 30) -> bool:
    """The web process answers again, and the worker gave a sign of life after the killing."""
    with installation.connect() as connection:
        killed_at = connection.execute("SELECT now()").fetchone()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            seen_at = connection.execute("SELECT max(seen_at) FROM generation_workerheartbeat").fetchone()
            if seen_at and killed_at and seen_at > killed_at and installation.get("/readyz")[0] == 200:
                return True
            time.sleep(0.1)
    return False
