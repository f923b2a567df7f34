"""A worker's connection that is cut at the worst moment: what was paid for is kept, once, and the run goes on."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from generation.guidance import Guidance, GuidanceRequest
from generation.models import Call, Run
from generation.providers.base import Request
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db(transaction=True)


class Server:
    """The database server as its owner has it in hand."""

    def __init__(self) -> None:
        given = connection.settings_dict
        self.name = given["NAME"]
        self.link = psycopg.connect(
            host=given["OPTIONS"].get("host") or given["HOST"],
            user=given["USER"],
            dbname="postgres",
            autocommit=True,
        )

    def cut(self) -> None:
        self.link.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [self.name])

    def opens(self, to: bool) -> None:
        name, word = sql.Identifier(self.name), sql.SQL("true" if to else "false")
        self.link.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(name, word))


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.opens(True)
    made.link.close()
    connection.close()


def once(do: Any, stage: str = "extraction") -> Any:
    """At the first request of a stage."""
    todo = [do]

    def hook(request: Request) -> None:
        if request.stage == stage and todo:
            todo.pop()()

    return hook


def paid(run: Run, scripted: Scripted) -> None:
    """The run is whole, each answer was asked for once and is stored once."""
    assert (run.status, run.error) == ("awaiting_review", None)
    assert scripted.stages() == ["extraction", "supervisor"]
    assert list(Call.objects.order_by("id").values_list("stage", "error")) == [
        ("extraction", None),
        ("supervisor", None),
    ]
    assert run.input_tokens == 200


@pytest.mark.parametrize("stage", ["extraction", "supervisor"])
def test_while_the_provider_answers(scripted: Scripted, server: Server, stage: str) -> None:
    run = new_run()
    scripted.before = once(server.cut, stage)
    paid(generated(run), scripted)


def test_and_the_database_is_away_for_a_while(scripted: Scripted, server: Server) -> None:
    run = new_run()

    def goes_away() -> None:
        server.opens(False)
        server.cut()
        threading.Timer(1.5, server.opens, [True]).start()

    scripted.before = once(goes_away)
    paid(generated(run), scripted)


def test_after_the_commit_and_before_its_echo(
    scripted: Scripted, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, commit, lost = new_run(), psycopg.Connection.commit, []

    def without_echo(self: Any) -> None:
        monkeypatch.setattr(psycopg.Connection, "commit", commit)
        commit(self)
        server.cut()
        lost.append(True)
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    def next_echo_is_lost() -> None:
        monkeypatch.setattr(psycopg.Connection, "commit", without_echo)

    scripted.before = once(next_echo_is_lost)
    paid(generated(run), scripted)
    assert lost == [True]


def cuts(request: GuidanceRequest) -> Guidance:
    """Learning, as it finds its connection gone."""
    connection.ensure_connection()
    link = Server()
    link.cut()
    link.link.close()
    return Guidance()


def test_between_two_queries_the_attempt_ends_in_order_and_the_next_one_goes_on(
    scripted: Scripted, server: Server, settings: Any
) -> None:
    run = new_run()
    settings.PROMPT_RESOLVER = f"{__name__}.cuts"
    generated(run)
    assert (run.status, run.lease, scripted.requests) == ("queued", None, [])
    assert run.error is not None and run.error["code"] == "internal_error"
    settings.PROMPT_RESOLVER = ""
    Run.objects.update(next_attempt_at=None)
    paid(generated(run), scripted)
