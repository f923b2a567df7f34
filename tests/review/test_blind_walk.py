"""Who reviews blind, everywhere: told nothing of what others say nor, where that was chosen, of the judge."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from generation.models import Batch, Call, Draft, Institution, Judgement, JudgeOutcome, NodeEvent, Run, Status
from review import setting_aside
from review.bulk import Kind, Wanted
from review.filters import VIEWS, Filters
from review.finding import Finder
from review.models import Claim
from review.pages.listing import listing
from review.recording import undo
from tests.callers import Caller
from tests.config.test_api_access import OPERATIONS
from tests.config.test_every_url import ROUTES
from tests.config.test_every_url import address as address_of
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.people import a_reviewer, signed_in
from tests.review import panels
from tests.review.panels import policy, say

pytestmark = pytest.mark.django_db
OTHERS = ("secret-note", "secret-field", "secret-value", "Rejected", '"reject"', "rejected it", "toms-note")
JUDGED = (
    "secret-feedback", "failed it", "Needs human review", "needs_human_review", "after 1 fix", "revision 2",
    "exhausted", "mender", "Mender", "Being fixed", "being fixed", '"fixing"', "wrote revision 1",
)  # fmt: skip
PAGES = [route for route in ROUTES if not route.startswith(("admin/", "api/", "logout", "login", "metrics"))]
CALLS = [(method, path) for method, path, _scope in OPERATIONS if method == "GET"]
AT = {"/": "", "body": "desk", "list": "list", "record": "record-as"}  # a page, and its fragments


class World:
    """A run that its judge escalated after a fix, and its twin, which the judge passed: else the same."""

    def __init__(self) -> None:
        self.mia, self.tom, self.ada = panels.three()
        self.batch = Batch.objects.create(name="Batch")
        self.institution = Institution.objects.create(slug="house", name="House")
        self.subcategory = SubcategoryFactory(slug="drills")
        self.twin, self.run = self.made("Twin"), self.made("Drill", escalated=True)

    def made(self, title: str, *, escalated: bool = False) -> Run:
        given: dict[str, Any] = {"status": Status.AWAITING_REVIEW, "judge_outcome": JudgeOutcome.PASSED}
        if escalated:
            error = {"code": "exhausted", "detail": "failed it: secret-feedback"}
            given = {"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": "needs_human_review", "error": error}
        run: Run = RunFactory(
            title=title, revision=2, subcategory=self.subcategory, batch=self.batch, institution=self.institution,
            **given,
        )  # fmt: skip
        for revision in (1, 2):
            made_by = "mender" if revision == 2 else "extraction"
            draft: Draft = DraftFactory(run=run, revision=revision, content={"name": "Drill"}, made_by=made_by)
            outcome = "failed" if escalated or revision == 1 else "passed"
            Judgement.objects.create(
                run=run, draft=draft, round=1, cycle=revision, kind="supervisor", outcome=outcome,
                result={"feedback": "secret-feedback"},
            )  # fmt: skip
            Call.objects.create(run=run, stage="mender", provider="demo", cycle=revision, answer="secret-feedback")
            for kind, node in (("node_enter", "mender"), ("status", "fixing"), ("status", given["status"])):
                NodeEvent.objects.create(run=run, kind=kind, node=node, badge="FIX", attempt=revision)
        return Run.objects.get(pk=run.pk)


@pytest.fixture
def world() -> World:
    policy(reviewers=2, blind_to_judge=True)
    return World()


SAID: dict[str, Any] = {
    "decision": "reject", "notes": "secret-note", "missing_spec": ["secret-field"],
    "values": {"/name": "secret-value"},
}  # fmt: skip


def waiting(world: World) -> None:
    say(world.run, world.mia, **SAID)


def aside(world: World) -> None:
    waiting(world)
    setting_aside.set_aside(world.run.pk, world.ada, "later")


def taken_back(world: World) -> None:
    """Both had corrected the same, and the last of them took it back: the draft that came of it stays."""
    corrected = SAID | {"decision": "approve"}
    say(world.run, world.mia, **corrected)
    say(world.run, a_reviewer("eve"), **corrected)
    undo(world.run.pk, User.objects.get(username="eve"))
    assert Draft.objects.filter(run=world.run, content__name="secret-value").exists()


def in_the_making(world: World) -> None:
    waiting(world)
    Run.objects.filter(pk=world.run.pk).update(status=Status.FIXING, error=None)


STATES: dict[str, Callable[[World], None]] = {
    "waits for another": waiting, "set aside": aside, "taken back": taken_back,
}  # fmt: skip


def told_by_pages(web: Client, world: World) -> dict[str, str]:
    """All that is answered to a person, by address: pages, their fragments, and what acts answer."""
    run = str(world.run.pk)
    parts = {"run_id": run, "batch_id": str(world.batch.pk), "slug": world.subcategory.slug}
    told = {}
    for route in PAGES:
        if route.endswith("/events/"):  # tests/review/test_run_stream.py
            continue
        for name, target in AT.items():
            headers = {"HX-Request": "true", "HX-Target": target} if target else {}
            told[f"{route} {name}"] = _text(web.get(address_of(route, parts), headers=headers))
    for view in VIEWS:
        told[f"queue {view}"] = _text(web.get(f"/queue/?view={view}"))
    for route, data in (
        ("queue/next/", {}), ("queue/ahead/", {"shown": str(world.twin.pk)}),
        (f"runs/{run}/claim/", {"again": "1"}),
        (f"runs/{run}/form/", {"decision": "approve"}), (f"runs/{world.twin.pk}/leave/", {"to": run}),
        (f"runs/{run}/review/", {"decision": "", "revision": "2"}), (f"runs/{run}/skip/", {}),
    ):  # fmt: skip
        told[f"POST {route}"] = _text(web.post(f"/{route}", data, headers={"HX-Target": "desk"}, follow=True))
    return told


def _text(response: Any) -> str:
    """Without what a form offers to everybody."""
    if response.streaming:
        return b"".join(response.streaming_content).decode()
    text = response.content.decode()
    return re.sub(r'<option.*?</option>|(value|class)="reject"|<label class="reject">', "", text, flags=re.DOTALL)


def told_by_rest(user: User, world: World) -> dict[str, str]:
    caller = Caller(user=user)
    told = {}
    for _method, path in CALLS:
        if not path.endswith("/events"):
            address = path.replace("{uuidstr:run_id}", str(world.run.pk)).replace("{slug:slug}", "{slug}")
            address = address.replace("{uuid:run_id}", str(world.run.pk)).replace("{slug}", "drills")
            address = address.replace("{format}", "jsonl")
            query = {"flow": "item"} if "{slug" in path else {}
            told[path] = _text(caller.get(address, **query))
    told["claim"] = _text(caller("POST", "/queue/claim"))
    told["retry"] = _text(caller("POST", f"/runs/{world.run.pk}/retry"))
    told["review"] = _text(caller("POST", f"/runs/{world.run.pk}/reviews", {"decision": "approve", "revision": 1}))
    return told


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("who", ["tom", "ada"])
def test_no_address_tells_who_reviews_blind(world: World, state: str, who: str) -> None:
    STATES[state](world)
    Claim.objects.all().delete()
    user: User = getattr(world, who)
    told = told_by_pages(signed_in(user), world) | told_by_rest(user, world)
    assert len(told) > 60 and sum("Drill" in text for text in told.values()) > 8
    leaks = [(where, word) for where, text in told.items() for word in (*OTHERS, *JUDGED) if word in text]
    assert not leaks


def test_the_walk_finds_what_is_there_to_find(world: World) -> None:
    """Who has submitted is told what the judge found and what they said, of the rest nothing."""
    waiting(world)
    told = told_by_pages(signed_in(world.mia), world) | told_by_rest(world.mia, world)
    found = {word for text in told.values() for word in (*OTHERS, *JUDGED) if word in text}
    assert {"secret-note", "secret-field", "secret-value", '"reject"', "secret-feedback", "failed it"} <= found


def test_a_run_in_the_making_tells_of_no_judge(world: World) -> None:
    in_the_making(world)
    told = told_by_pages(signed_in(world.tom), world) | told_by_rest(world.tom, world)
    assert not [(where, word) for where, text in told.items() for word in JUDGED if word in text]


def test_a_run_that_was_drawn_is_walked_like_one_of_a_blind_flow() -> None:
    """And no address has a word of blindness, since nobody asked for it, but where the evidence page of judges
    says to everybody which reviews it counts."""
    world = World()
    Run.objects.update(drawn_blind=True, reviews_needed=None)
    user = world.tom
    told = told_by_pages(signed_in(user), world) | told_by_rest(user, world)
    leaks = [(where, word) for where, text in told.items() for word in JUDGED if word in text]
    assert not leaks and sum("Drill" in text for text in told.values()) > 8
    general = re.compile("openapi|^learning/judges/")
    shown = {at: text.replace("blind_to_judge", "") for at, text in told.items() if not general.search(at)}
    assert not [where for where, text in shown.items() if re.search(r"blind (to|review)|, blind\b", text)]


# ---------- lists, filters, searches, counts ----------


def filters() -> list[dict[str, str]]:
    names = ("mia", "tom", "eve", "me", "nobody")
    one_by_one = [
        *({"status": value} for value in Status.values),
        *({"outcome": value} for value in JudgeOutcome.values),
        *({"reviewer": name} for name in names),
        *({"holder": name} for name in names),
        *({"text": word} for word in ("secret-value", "secret-note", "secret", "drill")),
        {"subcategory": "drills"}, {"flow": "item"}, {"institution": "house"}, {},
    ]  # fmt: skip
    return [{"view": view, **narrowing} for view in VIEWS for narrowing in one_by_one]


@pytest.mark.parametrize("state", ["untouched", *STATES])
def test_no_filter_tells_the_run_from_its_twin(world: World, state: str) -> None:
    """Both stand in the same lists, whatever these are narrowed to, but for what everybody may know."""
    if state in STATES:
        STATES[state](world)
        Claim.objects.all().delete()
    if state == "set aside":
        setting_aside.set_aside(world.twin.pk, world.ada, "later")
    web, wrong = signed_in(world.tom), []
    for given in filters():
        page = listing(Filters.of(given), world.tom)
        ids = [item.run.pk for item in page.items]
        if (world.run.pk in ids) != (world.twin.pk in ids):
            wrong.append(given)
        if page.matching and page.matching.number != len(ids):
            wrong.append(given | {"count": str(page.matching)})
        assert web.get("/queue/", given).status_code == 200
    assert not wrong


@pytest.mark.parametrize("state", ["untouched", *STATES])
def test_no_filter_of_rest_tells_them_apart(world: World, state: str) -> None:
    if state in STATES:
        STATES[state](world)
    caller = Caller(user=world.tom)
    given = [{"status": value} for value in Status.values] + [
        {"reviewed_by": name} for name in ("mia", "eve", "tom")
    ]
    for query in given:
        ids = [UUID(item["id"]) for item in caller.get("/runs", **query).json()["items"]]
        assert (world.run.pk in ids) == (world.twin.pk in ids), query
    found = Caller().get("/runs", status="needs_human_review").json()["items"]
    assert [item["title"] for item in found] == ["Drill"], "a service is told"


def test_each_finds_the_own_review(world: World) -> None:
    waiting(world)
    for name in ("me", "mia"):
        assert Finder(Filters(view="all", reviewer=name), world.mia).page(10).ids == [world.run.pk]
    ids = [item["title"] for item in Caller(user=world.mia).get("/runs", reviewed_by="mia").json()["items"]]
    assert ids == ["Drill"]


def test_their_order_tells_nothing(world: World) -> None:
    later = world.made("Later", escalated=True)
    last = world.made("Last")
    order = [world.twin.pk, world.run.pk, later.pk, last.pk]
    assert Finder(Filters(), world.tom).page(10).ids == order


def test_what_may_be_done_to_many_tells_nothing(world: World) -> None:
    """One that failed with a record waits for a person like any other."""
    admin = User.objects.create_superuser("root")
    Run.objects.filter(pk=world.run.pk).update(status=Status.FAILED)
    for kind in Kind:
        count = Wanted(kind, query="").count(admin).number
        assert count == (2 if kind in (Kind.ASSIGN, Kind.SET_ASIDE) else 0), kind


def test_counts_by_status_tell_nothing(world: World) -> None:
    Run.objects.filter(pk=world.run.pk).update(status=Status.FAILED)
    say(world.made("Other", escalated=True), world.mia)
    counted = {
        status: Finder(Filters(view="all", status=status), world.tom).count().number for status in Status.values
    }
    assert {status: number for status, number in counted.items() if number} == {"awaiting_review": 3}
