"""compose.yaml, tried: each service's command and health check, and the whole of it at work.

Containers are not: the image's build is left to whoever has an engine for it.
"""

import http.cookiejar
import json
import re
import shutil
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.config.test_environment import example
from tests.production.composed import SECONDS, Composed

pytestmark = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="no redis-server here: apt-get install redis-server"
)
SECRET = "k3y-" + "abcdefghij" * 6
DRILL = {"title": "Nordwind ND 18", "text": "Voltage: 18 V\nLength: 194 mm\nWeight: 1.7 kg"}


@pytest.fixture(scope="module")
def composed() -> Iterator[Composed]:
    """Everything of compose.yaml but a second worker, healthy."""
    given = {
        "SECRET_KEY": SECRET,
        "POSTGRES_PASSWORD": "letters",
        "FOLDBACK_PROVIDER": "demo",
        "FOLDBACK_CONCURRENCY": "2",
        "FOLDBACK_API_CALLS_PER_MINUTE": "0",
    }
    with tempfile.TemporaryDirectory(prefix="fb-composed-") as folder:
        made = Composed(Path(folder), example() | given)
        try:
            made.start("redis")
            made.start("postgres")
            wait_for_server(made)
            made.make_role()
            made.wait_until_healthy("postgres")
            made.wait_until_healthy("redis")
            prepared = made.run("prepare", made.command("prepare"))
            assert prepared.returncode == 0, prepared.stderr
            made.log("prepare").write_text(prepared.stdout)
            for service in ("beat", "worker", "web"):
                made.start(service)
            made.start("worker", "--hostname=second@%h", name="second")
            for service in ("web", "worker", "beat"):
                made.wait_until_healthy(service)
            yield made
        finally:
            made.stop_all()


def wait_for_server(made: Composed) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return made.database("postgres", "postgres").close()
        except Exception:
            assert time.monotonic() < deadline, made.log("postgres").read_text()
            time.sleep(0.1)


class Caller:
    """REST with a key, each call on a connection of its own."""

    def __init__(self, made: Composed, *arguments: str) -> None:
        done = made.run("web", ["python", "manage.py", "create_api_key", "test", *arguments])
        assert done.returncode == 0, done.stderr
        self.base, self.key = f"http://127.0.0.1:{made.ports['web']}", done.stdout.strip()

    def __call__(self, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return json.loads(response.read())


def run_body(**more: Any) -> dict[str, Any]:
    return {"flow": "item", "subcategory": "drills", "source": DRILL, **more}


def wait_until_made(made: Composed, seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    with made.database() as connection:
        while left := connection.execute(
            "SELECT status, count(*) FROM generation_run WHERE status NOT IN"
            " ('awaiting_review', 'needs_human_review', 'approved', 'rejected') GROUP BY 1"  # as the demo's are
        ).fetchall():
            assert time.monotonic() < deadline, left
            time.sleep(0.1)


def lines(made: Composed, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.log(name).read_text().splitlines()]


@pytest.fixture(scope="module")
def call(composed: Composed) -> Caller:
    caller = Caller(composed, "--user", "ada", "--scopes", "read,write,review,admin")
    request = urllib.request.Request(
        f"{caller.base}/api/v1/subcategories/drills",
        json.dumps({"name": "Drills", "category": "Tools"}).encode(),
        {"Authorization": f"Bearer {caller.key}", "Content-Type": "application/json"},
        method="PUT",
    )
    urllib.request.urlopen(request, timeout=SECONDS).close()
    return caller


def test_everything_that_is_reached_says_that_it_is_ready(composed: Composed) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{composed.ports['web']}/readyz", timeout=SECONDS) as response:
        assert set(json.loads(response.read())["checks"].values()) == {"ok"}


def test_the_role_of_the_application_is_no_superuser(composed: Composed) -> None:
    with composed.database() as connection:
        found = connection.execute("SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user")
        assert found.fetchone() == (False, False)


def test_two_workers_share_the_runs_and_a_person_reviews_them(composed: Composed, call: Caller) -> None:
    deadline, wanted = time.monotonic() + SECONDS, {"worker", "second"}
    worked: set[str] = set()
    while worked != wanted:
        assert time.monotonic() < deadline, worked
        call("/runs/batch", {"runs": [run_body()] * 6})
        wait_until_made(composed)
        worked = {
            name for name in wanted if any(line["event"] == "run_finished" for line in lines(composed, name))
        }
    with composed.database() as connection:
        doubled = connection.execute(
            "SELECT run_id FROM generation_call WHERE error IS NULL"
            " GROUP BY run_id, round, cycle, stage HAVING count(*) > 1"
        ).fetchall()
    assert doubled == []
    run = call("/queue/claim", {})["id"]
    assert call(f"/runs/{run}/reviews", {"decision": "approve"})["decision"] == "approve"
    assert call(f"/runs/{run}")["status"] == "approved"


def test_the_first_admin_signs_in_and_both_web_processes_know_it(composed: Composed, call: Caller) -> None:
    found = re.search(r"Password:\s+(\S+)", composed.log("prepare").read_text())
    assert found
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = browser.open(f"{call.base}/login/", timeout=SECONDS).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": found[1]}
    browser.open(f"{call.base}/login/", urllib.parse.urlencode(form).encode(), timeout=SECONDS)
    for _ in range(8):  # each on a connection of its own, taken by either process
        with browser.open(f"{call.base}/queue/", timeout=SECONDS) as response:
            assert response.url.endswith("/queue/")


def test_an_address_that_a_client_makes_up_gets_it_no_further_guesses(composed: Composed, call: Caller) -> None:
    answers = []
    for n in range(6):
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        browser.addheaders = [("X-Forwarded-For", f"203.0.113.{n}")]
        page = browser.open(f"{call.base}/login/", timeout=SECONDS).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token
        form = {"csrfmiddlewaretoken": token[1], "username": "somebody", "password": "guess"}
        with pytest.raises(urllib.error.HTTPError) as refusal:
            browser.open(f"{call.base}/login/", urllib.parse.urlencode(form).encode(), timeout=SECONDS)
        answers.append(refusal.value.code)
    assert answers == [422] * 5 + [429]


def test_logs_are_json_and_a_request_can_be_followed_to_its_run(composed: Composed, call: Caller) -> None:
    run = call("/runs", run_body())["id"]
    wait_until_made(composed)
    finished = [
        line
        for name in ("worker", "second")
        for line in lines(composed, name)
        if line["event"] == "run_finished" and line["run"] == run
    ]
    assert len(finished) == 1
    asked = [line for line in lines(composed, "web") if line.get("request_id") == finished[0]["request_id"]]
    assert [line["event"] for line in asked] == ["request_finished"]
    for name in ("web", "worker", "second", "beat"):
        assert all({"event", "level", "timestamp"} <= line.keys() for line in lines(composed, name))
        text = composed.log(name).read_text()
        assert "Nordwind" not in text and call.key not in text and SECRET not in text


def test_a_rolling_restart_under_load_fails_no_request_and_loses_no_run(composed: Composed, call: Caller) -> None:
    failed: list[str] = []
    made: list[str] = []
    over = threading.Event()

    def load() -> None:
        while not over.is_set():
            try:
                made.append(call("/runs", run_body())["id"])
                call("/runs?limit=5")
            except Exception as error:
                failed.append(repr(error))
            time.sleep(0.02)

    threads = [threading.Thread(target=load) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.5)
        web = children(composed.processes["web"].pid)
        composed.processes["web"].send_signal(signal.SIGHUP)
        composed.stop("second")
        composed.start("worker", "--hostname=second@%h", name="second")
        deadline = time.monotonic() + SECONDS
        while children(composed.processes["web"].pid) & web:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        before = len(made)
        while len(made) < before + 10:  # the new processes answer
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert failed == []
    wait_until_made(composed)
    with composed.database() as connection:
        stored = {str(row[0]) for row in connection.execute("SELECT id FROM generation_run")}
    assert set(made) <= stored


def children(pid: int) -> set[int]:
    """The web processes of the one that watches them; not the tracker that Python puts beside them."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in found if "spawn_main" in command_line(child)}


def command_line(pid: str) -> str:
    """What a process was started with; "" where it has ended since it was listed."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_a_health_check_sees_what_is_gone(composed: Composed) -> None:
    """The last test of this file: it stops what the others use."""
    assert composed.stop("worker") == 0
    assert not composed.is_healthy("worker")
    (composed.folder / "beat").unlink()
    assert composed.stop("beat") == 0
    assert not composed.is_healthy("beat")
    assert composed.stop("web") == 0
    assert not composed.is_healthy("web")
    composed.stop("redis")
    assert not composed.is_healthy("redis")
    composed.stop("postgres", signal.SIGINT)
    assert not composed.is_healthy("postgres")
