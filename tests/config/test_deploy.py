"""The settings of production, as a process reads them: `check --deploy` finds nothing, cookies are for HTTPS."""

import os
import subprocess
import sys

from tests.config.test_environment import ROOT

PRODUCTION = {
    "DATABASE_URL": "postgres://foldback@db.example.org/foldback",
    "CELERY_BROKER_URL": "redis://broker.example.org:6379/0",
    "SECRET_KEY": "k3y-" + "abcdefghij" * 6,
    "ALLOWED_HOSTS": "foldback.example.org",
    "FOLDBACK_HTTPS": "1",
}


def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": os.environ["PATH"], "FOLDBACK_DATA_DIR": os.environ["FOLDBACK_DATA_DIR"], **PRODUCTION}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_deployment_check_finds_nothing() -> None:
    done = manage("check", "--deploy", "--fail-level=WARNING")
    assert (done.returncode, done.stderr) == (0, "")


def test_cookies_and_headers_are_for_https_alone() -> None:
    program = (
        "from django.test import Client\n"
        "from django.conf import settings\n"
        "plain = Client().get('/login/', headers={'host': 'foldback.example.org'})\n"
        "assert plain.status_code == 301 and plain['Location'] == 'https://foldback.example.org/login/', plain\n"
        "ask = {'host': 'foldback.example.org', 'x-forwarded-proto': 'https'}\n"
        "page = Client().get('/login/', headers=ask)\n"
        "assert page.status_code == 200, page\n"
        "cookie = page.cookies['csrftoken']\n"
        "assert cookie['secure'] and cookie['samesite'] == 'Lax'\n"
        "assert settings.SESSION_COOKIE_SECURE and settings.SESSION_COOKIE_HTTPONLY\n"
        "assert page['Strict-Transport-Security'] == 'max-age=31536000; includeSubDomains'\n"
        "assert 'unsafe' not in page['Content-Security-Policy']\n"
        "alive = Client().get('/healthz', headers={'host': 'foldback.example.org'})\n"
        "assert alive.status_code == 200\n"
    )
    done = manage("shell", "--no-imports", "--command", program)
    assert done.returncode == 0, done.stderr
