"""compose.yaml as processes of this machine: its commands, environments and health checks, without containers.

What a container would give them is put in its place: a port, a folder, a host name.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import yaml

from config.postgres import as_ordinary_user, binaries
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
VARIABLE = re.compile(r"\$\{(\w+)(?::?([-?])([^}]*))?\}")
SECONDS = 240  # for a process to get healthy on a slow machine


def packaged_postgres() -> Path:
    """The programs of the package, where one is installed; else the wheel's."""
    found = shutil.which("postgres")
    return Path(found).resolve().parent if found else binaries()


def read(variables: dict[str, str]) -> dict[str, Any]:
    """compose.yaml with its variables filled in, as compose does it."""

    def value(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        given = variables.get(name, "")
        assert given or kind == "-", f"{name}: {rest}"
        return given or rest

    document: dict[str, Any] = yaml.safe_load(VARIABLE.sub(value, (ROOT / "compose.yaml").read_text()))
    return document


class Composed:
    """The services, started one by one by their names in compose.yaml."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder, self.variables = folder, variables
        self.document = read(variables)
        self.services: dict[str, Any] = self.document["services"]
        self.ports = {name: free_port() for name in ("postgres", "redis", "web")}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, service: str) -> dict[str, str]:
        folders = (Path(sys.executable).parent, packaged_postgres(), os.environ["PATH"])
        given = self.services[service].get("environment", {})
        own = {name: str(value) for name, value in given.items()}
        return {
            "PATH": os.pathsep.join(map(str, folders)),
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            **(self.variables if self.services[service].get("env_file") == ".env" else {}),
            **{name: self.here(value) for name, value in own.items()},
            **({"PORT": str(self.ports["web"])} if "PORT" in own else {}),
            **({"FOLDBACK_DATA_DIR": str(self.folder)} if "FOLDBACK_DATA_DIR" in own else {}),
            **({"FOLDBACK_EXPORTS_DIR": str(self.folder / "exports")} if "FOLDBACK_EXPORTS_DIR" in own else {}),
            **({"PGHOST": "127.0.0.1", "PGPORT": str(self.ports["postgres"])} if service == "postgres" else {}),
        }

    def here(self, text: str) -> str:
        """The names that compose gives to machines, as addresses of this one."""
        for name, port in (("postgres", 5432), ("redis", 6379)):
            text = re.sub(rf"\b{name}:{port}\b", f"127.0.0.1:{self.ports[name]}", text)
        return text

    def command(self, service: str) -> list[str]:
        if service == "postgres":  # its image's own
            return self._postgres()
        command = [
            str(self.ports["web"]) if part == "8000" else part for part in self.services[service]["command"]
        ]
        command = ["127.0.0.1" if part == "0.0.0.0" else part for part in command]
        if service == "redis":
            command += ["--port", str(self.ports["redis"]), "--dir", str(self.folder)]
        return command

    def start(self, service: str, *more: str, name: str = "") -> "subprocess.Popen[bytes]":
        name = name or service
        with open(self.log(name), "ab") as log:
            self.processes[name] = subprocess.Popen(
                [*self.command(service), *more],
                cwd=ROOT,
                env=self.environment(service),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self.processes[name]

    def run(self, service: str, command: list[str]) -> "subprocess.CompletedProcess[str]":
        """A command in the environment of a service, to its end."""
        return subprocess.run(command, cwd=ROOT, env=self.environment(service), capture_output=True, text=True)

    def is_healthy(self, service: str) -> bool:
        kind, *command = self.services[service]["healthcheck"]["test"]
        assert kind == "CMD"
        port = ["-p", str(self.ports["redis"])] if service == "redis" else []
        return self.run(service, [command[0], *port, *command[1:]]).returncode == 0

    def wait_until_healthy(self, service: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not self.is_healthy(service):
            assert time.monotonic() < deadline, (
                f"{service} is not healthy: {self.log(service).read_text()[-3000:]}"
            )
            time.sleep(0.5)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def stop(self, name: str, number: int = signal.SIGTERM, seconds: float = SECONDS) -> int:
        process = self.processes.pop(name)
        process.send_signal(number)
        return process.wait(seconds)

    def stop_all(self) -> None:
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                os.killpg(
                    process.pid, signal.SIGINT if process is self.processes.get("postgres") else signal.SIGKILL
                )
            process.wait()

    def database(self, user: str = "foldback", name: str = "foldback") -> "psycopg.Connection[Any]":
        return psycopg.connect(
            host="127.0.0.1", port=self.ports["postgres"], user=user, dbname=name, autocommit=True
        )

    def _postgres(self) -> list[str]:
        """An empty server as its image would make it; `make_role` does what the image does at its first start."""
        data = self.folder / "postgres"
        initdb = [
            str(packaged_postgres() / "initdb"),
            "--pgdata",
            str(data),
            "--username=postgres",
            "--auth=trust",
        ]
        subprocess.run(
            as_ordinary_user([*initdb, "--encoding=UTF8", "--locale=C"]), check=True, capture_output=True
        )
        server = [str(packaged_postgres() / "postgres"), "-D", str(data), "-k", str(self.folder)]
        for setting in ("listen_addresses=127.0.0.1", f"port={self.ports['postgres']}", "fsync=off"):
            server += ["-c", setting]
        return as_ordinary_user(server)

    def make_role(self) -> None:
        with self.database("postgres", "postgres") as connection:
            for statement in self.document["configs"]["role.sql"]["content"].split(";"):
                if statement.strip():
                    connection.execute(statement)
