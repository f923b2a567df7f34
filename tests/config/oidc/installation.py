"""A web process with OpenID Connect on, over a database of its own, and what a browser and an admin do there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import requests

from config.processes import dies_with_parent
from tests.config.oidc.far_end import CLIENT_ID, CLIENT_SECRET
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[3]
DEADLINE = 240.0  # seconds, on a slow machine
ROLES = '{"record-team": "reviewer", "leads": "adjudicator", "it": "admin"}'


class Web:
    """Started once for all tests; `forget` empties what people left in it."""

    def __init__(self, folder: Path, issuer: str) -> None:
        server = os.environ["DATABASE_URL"]
        self.name = f"oidc_{os.getpid()}"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {self.name}")
        self.database = urlsplit(server)._replace(path=f"/{self.name}").geturl()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "web.log"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "DATABASE_URL": self.database,
            "CELERY_BROKER_URL": "memory://",
            "FOLDBACK_DATA_DIR": str(folder),
            "FOLDBACK_DEMO": "0",
            "FOLDBACK_OIDC_ISSUER": issuer,
            "FOLDBACK_OIDC_CLIENT_ID": CLIENT_ID,
            "FOLDBACK_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "FOLDBACK_OIDC_NAME": "Werkant login",
            "FOLDBACK_OIDC_GROUPS": ROLES,
            "PYTHONWARNINGS": "ignore",
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.run("-m", "config.prepare")
        command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(self.port)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=dies_with_parent(signal.SIGKILL),
            )  # fmt: skip
        until = time.monotonic() + DEADLINE
        while not self._answers():
            assert time.monotonic() < until and self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=20).ok
        except requests.RequestException:
            return False

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {self.name} WITH (FORCE)")

    def run(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def manage(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        return self.run("manage.py", *arguments, check=check)

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def people(self) -> list[tuple[str, list[str]]]:
        """Everybody but the first admin, each with what they may do."""
        rows = self.sql(
            """
            SELECT username, is_superuser AND is_staff,
                   array(SELECT name FROM auth_group JOIN auth_user_groups ON group_id = auth_group.id
                         WHERE user_id = auth_user.id ORDER BY name)
            FROM auth_user WHERE username <> 'admin' ORDER BY id
            """
        )
        return [(name, [*groups, *(["admin"] if admin else [])]) for name, admin, groups in rows]

    def forget(self) -> None:
        self.sql(
            "TRUNCATE socialaccount_socialaccount, socialaccount_socialtoken, django_session,"
            " generation_signincount"
        )
        self.sql("DELETE FROM auth_user_groups")
        self.sql("DELETE FROM auth_user WHERE username <> 'admin'")


class Browser(requests.Session):
    """Follows every redirect, as a browser does, and keeps its cookies."""

    def __init__(self, web: Web) -> None:
        super().__init__()
        self.web = web

    def sign_in(self, following: str = "") -> requests.Response:
        """Press the button."""
        query = f"?next={following}" if following else ""
        return self.get(f"{self.web.url}/login/oidc/{query}")

    def to_the_provider(self, following: str = "") -> str:
        """The address that the browser is sent to."""
        answer = self.get(
            f"{self.web.url}/login/oidc/{'?next=' + following if following else ''}", allow_redirects=False
        )
        assert answer.status_code == 302
        return answer.headers["Location"]

    def back_from(self, there: str) -> str:
        """Where the provider sends the browser then, which has not gone there yet."""
        return self.get(there, allow_redirects=False).headers["Location"]

    @property
    def is_in(self) -> bool:
        return self.get(f"{self.web.url}/learning/", allow_redirects=False).status_code != 302
