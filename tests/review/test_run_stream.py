"""The stream of a run's page, with a session, over a real ASGI server."""

import contextlib
import http.client
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client

from config.asgi import application
from generation import looking, progress
from generation.models import Run, Status
from review.models import ReviewPolicy
from tests import people
from tests.factories import RunFactory
from tests.streams import SECONDS, message, serving

pytestmark = pytest.mark.django_db(transaction=True)
Follow = Callable[..., http.client.HTTPResponse]


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Follow]:
    """Opens the stream of a run as a person, behind the event of the header or of the address."""
    monkeypatch.setattr(looking, "POLL_SECONDS", 0.02)
    with contextlib.ExitStack() as opened:
        port = opened.enter_context(serving(application))

        def asked(run: Run, who: Client, header: str = "", query: str = "") -> http.client.HTTPResponse:
            caller = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            opened.callback(caller.close)
            cookie = who.cookies.get(settings.SESSION_COOKIE_NAME)
            headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie.value if cookie else ''}"}
            headers |= {"Last-Event-ID": header} if header else {}
            caller.request("GET", f"/runs/{run.pk}/events/?after={query}", headers=headers)
            return opened.enter_context(caller.getresponse())

        yield asked


@pytest.mark.parametrize(
    ("header", "query", "missed"),
    [("", "", 4), ("1", "", 3), ("", "1", 3), ("2", "1", 2), ("x", "", 4), ("-1", "", 4), ("9" * 30, "", 0)],
)
def test_it_resumes_behind_the_last_event(follow: Follow, header: str, query: str, missed: int) -> None:
    run = RunFactory(status=Status.STOPPED)
    for node in "abcd":
        progress.entered(run.id, node, badge="", round=1, attempt=1)
    ids = dict(zip("1234", run.node_events.order_by("id").values_list("id", flat=True), strict=True))
    answer = follow(run, people.reviewer(), str(ids.get(header, header)), str(ids.get(query, query)))
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")
    nodes = []
    while found := message(answer):
        nodes.append(found["data"]["node"])
    assert nodes == [*"abcd"[4 - missed :], "stopped"]


def test_a_person_watches_a_run_to_its_end(follow: Follow) -> None:
    run = RunFactory(status=Status.GENERATING)
    answer = follow(run, people.reviewer())
    progress.entered(run.id, "extraction", badge="", round=1, attempt=1)
    assert message(answer)["event"] == "node_enter"
    Run.objects.update(status=Status.AWAITING_REVIEW)
    assert message(answer)["data"] == {"node": "awaiting_review"} and answer.read() == b""


def test_strangers_follow_nothing(follow: Follow) -> None:
    run = RunFactory(status=Status.GENERATING)
    assert follow(run, people.outsider()).status == 302
    assert follow(Run(), people.reviewer()).status == 404


@pytest.mark.parametrize(("blind", "told"), [(False, "supervisor needs_human_review"), (True, "awaiting_review")])
def test_who_reviews_blind_to_the_judge_is_told_nothing_of_it(follow: Follow, blind: bool, told: str) -> None:
    ReviewPolicy.objects.create(flow="item", blind_to_judge=blind)
    run = RunFactory(status=Status.NEEDS_HUMAN_REVIEW)
    progress.entered(run.id, "supervisor", badge="REVIEW", round=1, attempt=1)
    answer = follow(run, people.reviewer())
    nodes = []
    while found := message(answer):
        nodes.append(found["data"]["node"])
    assert " ".join(nodes) == told
