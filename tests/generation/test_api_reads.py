"""REST reads of batches and prompts, and pages that hold while rows come and go."""

import pytest

from generation import prompts
from generation.models import Batch, Prompt, Run, Status
from tests.callers import Caller, pointers
from tests.factories import RunFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def call() -> Caller:
    return Caller()


def test_a_batch_tells_its_progress(call: Caller) -> None:
    batch = Batch.objects.create(name="May", spend_cap_usd="2.5")
    for status in (Status.QUEUED, Status.FAILED, Status.APPROVED, Status.APPROVED):
        RunFactory(batch=batch, status=status)
    answer = call.get(f"/batches/{batch.pk}").json()
    assert (answer["name"], answer["spend_cap_usd"], answer["total"], answer["open"]) == ("May", 2.5, 4, 1)
    assert answer["runs"] == {"approved": 2, "failed": 1, "queued": 1}
    assert answer["has_failed"] is True
    assert answer["waiting"] == {"to_send": 0, "at_provider": 0, "since": None}
    assert answer["url"] == f"http://testserver/api/v1/batches/{batch.pk}"
    assert answer["web_url"] == f"http://testserver/batches/{batch.pk}/"


def test_batches_are_listed_newest_first(call: Caller) -> None:
    made = [str(Batch.objects.create(name=name).pk) for name in ("May", "June", "May")]
    assert [batch["id"] for batch in call.get("/batches").json()["items"]] == made[::-1]
    assert [batch["id"] for batch in call.get("/batches", name="May").json()["items"]] == [made[2], made[0]]
    assert call.get("/batches", created_after="2999-01-01").json()["items"] == []


def test_prompts_with_their_versions_and_moves(call: Caller) -> None:
    prompts.seed()
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    first = prompts.live("item", "extraction")
    second = prompts.save_version(prompt, system="Short.", user=first.user, note="shorter", author=UserFactory())
    prompts.make_live(second, by=second.author, why="It is enough.")
    listed = call.get("/prompts", limit=200).json()["items"]
    assert ("item", "extraction", 2) in [(found["flow"], found["stage"], found["live"]) for found in listed]
    read = call.get("/prompts/item/extraction").json()
    assert read["url"].endswith("/api/v1/prompts/item/extraction") and "/admin/" in read["web_url"]
    versions = call.get("/prompts/item/extraction/versions").json()["items"]
    assert [(version["number"], version["live"]) for version in versions] == [(2, True), (1, False)]
    assert (versions[0]["system"], versions[0]["note"]) == ("Short.", "shorter")
    assert call.get("/prompts/item/extraction/versions/1").json() == versions[1]
    moves = call.get("/prompts/item/extraction/moves").json()["items"]
    assert [(move["from_version"], move["to_version"], move["why"]) for move in moves] == [
        (1, 2, "It is enough."),
        (None, 1, "first version, as shipped"),
    ]


@pytest.mark.parametrize(
    "path",
    ["/prompts/item/nothing", "/prompts/novel/extraction/versions", "/prompts/item/extraction/versions/9",
     "/prompts/item/extraction/versions/99999999999999999999", "/prompts/a%00/b", "/batches/7"],
)  # fmt: skip
def test_what_there_is_not(call: Caller, path: str) -> None:
    prompts.seed()
    assert call.get(path).status_code == 404


def test_a_cursor_holds_while_rows_come_and_go(call: Caller) -> None:
    """The row that the page ended with goes, others come before and behind it: nothing is doubled or hidden."""
    made = [RunFactory() for _ in range(9)]
    first = call.get("/runs", limit=3).json()
    assert [run["id"] for run in first["items"]] == [str(run.pk) for run in made[:-4:-1]]
    RunFactory()  # before the first page
    Run.objects.filter(pk__in=[made[6].pk, made[4].pk]).delete()  # the last of that page, and one of the next
    second = call.get("/runs", limit=3, cursor=first["next_cursor"]).json()
    assert [run["id"] for run in second["items"]] == [str(made[n].pk) for n in (5, 3, 2)]
    third = call.get("/runs", limit=3, cursor=second["next_cursor"]).json()
    assert [run["id"] for run in third["items"]] == [str(made[n].pk) for n in (1, 0)]
    assert third["next_cursor"] is None


def test_a_time_that_many_runs_share_is_included_or_not_as_its_name_says(call: Caller) -> None:
    bodies = [{"flow": "item", "source": {"title": str(number)}} for number in range(3)]
    batch = call("POST", "/runs/batch", {"name": "May", "runs": bodies}).json()["batch"]
    (at,) = {run["created_at"] for run in call.get("/runs").json()["items"]}
    later = RunFactory()
    for bound, count in {"created_from": 4, "created_after": 1, "created_before": 0}.items():
        assert len(call.get("/runs", **{bound: at}).json()["items"]) == count, bound
    within = {"created_from": at, "created_before": call.get(f"/runs/{later.pk}").json()["created_at"]}
    assert len(call.get("/runs", **within).json()["items"]) == 3, "one window ends where the next one begins"
    made = call.get(f"/batches/{batch}").json()["created_at"]
    for bound, count in {"created_from": 1, "created_after": 0}.items():
        assert len(call.get("/batches", **{bound: made}).json()["items"]) == count, bound


@pytest.mark.parametrize("name", ["created_from", "created_after", "created_before"])
@pytest.mark.parametrize("value", ["1", "0.5", " 12 ", "-3", "1e9"])
def test_a_number_is_no_time(call: Caller, name: str, value: str) -> None:
    assert call.get("/runs", **{name: value}).status_code == 422


@pytest.mark.parametrize("said", ["2000-01-17T17:10:59-21:27", "0419-08-11T00:19:31+22:44", "2000-01-01"])
def test_a_time_of_any_zone_is_taken(call: Caller, said: str) -> None:
    """PostgreSQL itself refuses zones that are 16 hours off."""
    for path in ("/runs", "/batches"):
        assert call.get(path, created_after=said, created_from=said).status_code == 200


@pytest.mark.parametrize("said", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_a_time_before_or_after_all_years_is_pointed_at(call: Caller, said: str) -> None:
    refused = call.get("/runs", created_after=said)
    assert (refused.status_code, pointers(refused)) == (422, ["/created_after"])
