"""The influence map: one table, its texts with versions, what they do to their prompts, and dead entries."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation import prompts
from generation.errors import BadInput, Conflict
from generation.guidance import GuidanceRequest, ask
from generation.models import Prompt
from learning import guidance
from learning.influence import INFLUENCE
from learning.models import Guidance, GuidanceMove, GuidanceVersion
from learning.studio.effect import effect
from learning.studio.influence import entries
from tests import people
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.histories import history

pytestmark = pytest.mark.django_db
KEY = "bad_format.extraction"
BAD = {"bad_format": True}


@pytest.fixture
def row() -> Guidance:
    prompts.seed()
    guidance.seed()
    return Guidance.objects.get(flow="item", key=KEY)


@pytest.fixture
def client(row: Guidance) -> Client:
    return people.admin()


def url(row: Guidance, act: str = "") -> str:
    return f"/admin/studio/influence/{row.pk}/{act}"


def edit(client: Client, row: Guidance, text: str, newest: int = 1, **more: str) -> Any:
    return client.post(url(row), {"text": text, "newest": str(newest), "note": "why not", **more})


def now(row: Guidance) -> tuple[str, bool, int | None]:
    found = Guidance.objects.select_related("live").get(pk=row.pk)
    return found.text, found.enabled, found.live.number if found.live else None


def test_every_line_stands_in_the_table_with_its_placeholder(client: Client) -> None:
    for flow, lines in INFLUENCE.items():
        page = client.get(f"/admin/studio/influence/?flow={flow}").content.decode()
        assert page.count("map-state") == len(lines)
        for line in lines:
            assert f"&lt;&lt;{line.stage.upper()}_REVIEW&gt;&gt;" in page
        assert "reach no prompt" not in page
    assert client.get("/admin/studio/influence/?flow=none").status_code == 404


def test_an_edit_is_a_version_and_speaks_once_it_is_live(client: Client, row: Guidance) -> None:
    answer = edit(client, row, "Be strict.\r\nAlways.")
    assert answer["Location"] == url(row, "versions/2/")
    assert now(row) == (guidance.shipped_text("item", KEY), True, 1)
    page = client.get(url(row, "versions/2/")).content.decode()
    assert "<ins>" in page or "<del>" in page
    assert client.post(url(row, "versions/2/live/"), {"why": ""}).status_code == 422
    client.post(url(row, "versions/2/live/"), {"why": "shorter"})
    assert now(row) == ("Be strict.\nAlways.", True, 2)
    assert guidance.texts("item")[KEY] == ("Be strict.\nAlways.", True)
    client.post(url(row, "versions/1/live/"), {"why": "no better"})
    assert now(row)[2] == 1
    moves = [
        (move.from_version and move.from_version.number, move.to_version.number, move.why)
        for move in row.moves.all()
    ]
    assert moves == [(2, 1, "no better"), (1, 2, "shorter"), (None, 1, "as shipped")]
    assert "live already" in client.post(url(row, "versions/1/live/"), {"why": "x"}, follow=True).content.decode()


def test_the_next_prompt_carries_what_is_live(client: Client, row: Guidance) -> None:
    drills = SubcategoryFactory()
    history(drills, [[BAD]])
    edit(client, row, "Mind the form.")
    asked = GuidanceRequest("item", "extraction", drills.pk)
    assert "Mind the form." not in ask(asked).text("EXTRACTION_REVIEW")
    client.post(url(row, "versions/2/live/"), {"why": "w"})
    assert "Mind the form." in ask(asked).text("EXTRACTION_REVIEW")
    client.post(url(row, "turn/"), {"enabled": "off", "why": "too loud"})
    assert "Mind the form." not in ask(asked).text("EXTRACTION_REVIEW")
    assert now(row) == ("Mind the form.", False, 2)


def test_any_two_versions_are_compared(client: Client, row: Guidance) -> None:
    edit(client, row, "One two three four.")
    edit(client, row, "One two five four.", newest=2)
    page = client.get(url(row, "versions/3/") + "?against=2").content.decode()
    assert "Against version 2" in page and "<del>three</del><ins>five</ins>" in page
    assert client.get(url(row, "versions/9/")).status_code == 404
    assert client.get(url(row, "versions/3/") + "?against=9").status_code == 404


def test_two_admins_at_once_lose_nothing_and_the_second_is_told(client: Client, row: Guidance) -> None:
    edit(client, row, "The first one's.")
    answer = client.post(url(row), {"text": "The second one's.", "newest": "1"}, follow=True)
    assert "saved version 2. Both are kept" in answer.content.decode()
    assert [version.text for version in row.versions.all()][:2] == ["The second one's.", "The first one's."]


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001])
def test_what_is_no_text_is_told_at_its_field(client: Client, row: Guidance, text: str) -> None:
    answer = edit(client, row, text)
    assert answer.status_code == 422 and "id_text_error" in answer.content.decode()
    assert row.versions.count() == 1
    with pytest.raises(BadInput):
        guidance.save_version(row, text, author=None)


def test_the_shipped_text_is_one_click_away_and_switches_nothing_on(client: Client, row: Guidance) -> None:
    edit(client, row, "Mine.")
    client.post(url(row, "versions/2/live/"), {"why": "w"})
    client.post(url(row, "turn/"), {"enabled": "off", "why": "w"})
    assert "Restore the shipped text" in client.get(url(row)).content.decode()
    client.post(url(row, "restore/"))
    assert now(row) == (guidance.shipped_text("item", KEY), False, 1)
    assert row.versions.count() == 2  # the version that says it was there
    assert "live already" in client.post(url(row, "restore/"), follow=True).content.decode()


def test_what_was_written_before_versions_were_kept_is_version_1() -> None:
    """A row of an older installation, or one that a script made: nothing it said is lost."""
    row = Guidance.objects.create(flow="item", key=KEY, text="Ours.", enabled=False)
    guidance.restore(row, by=None)
    assert [(version.number, version.text) for version in row.versions.all()] == [
        (2, guidance.shipped_text("item", KEY)),
        (1, "Ours."),
    ]


def test_switching_asks_why_and_is_kept(client: Client, row: Guidance) -> None:
    client.post(url(row, "turn/"), {"enabled": "off", "why": ""})
    assert now(row)[1]
    client.post(url(row, "turn/"), {"enabled": "off", "why": "noise"})
    move = row.moves.first()
    assert move is not None and (move.enabled, move.why, move.by and move.by.username) == (False, "noise", "mk")
    assert "switched off" in client.get(url(row)).content.decode()
    with pytest.raises(Conflict):
        guidance.turn(row, enabled=False, by=None, why="again")


def test_dead_entries_are_pointed_out(client: Client, row: Guidance) -> None:
    prompt = Prompt.objects.get(flow="item", stage="formatter")
    live = prompts.live("item", "formatter")
    without = live.user.replace("<<FORMATTER_REVIEW>>", "")
    system = live.system.replace("<<FORMATTER_REVIEW>>", "")
    prompts.make_live(prompts.save_version(prompt, system=system, user=without), by=None, why="w")
    Guidance.objects.create(flow="item", key="gone.extraction", text="Nobody says this.")
    dead = {entry.row.key: entry.dead for entry in entries("item") if entry.row and entry.dead}
    assert dead.keys() == {"bad_format.formatter", "notes.formatter", "gone.extraction"}
    page = client.get("/admin/studio/influence/").content.decode()
    assert "3 entries are dead" in page and "does not hold &lt;&lt;FORMATTER_REVIEW&gt;&gt;" in page
    gone = Guidance.objects.get(key="gone.extraction")
    assert "left" in client.get(url(gone)).content.decode().lower()
    assert client.post(url(gone, "effect/"), {"text": "x"}).status_code == 404


def test_the_effect_shows_the_text_in_its_prompt_with_the_reviews_behind_it(client: Client, row: Guidance) -> None:
    drills = SubcategoryFactory(slug="drills")
    answer = client.post(url(row, "effect/"), {"text": "Mind the form.", "subcategory": "drills"}).content.decode()
    assert "Mind the form." in answer and "it does not speak now" in answer and "0 reviews" in answer
    history(drills, [[BAD], [BAD]])
    answer = client.post(url(row, "effect/"), {"text": "Mind the form.", "subcategory": "drills"}).content.decode()
    assert "Mind the form." in answer and "it speaks now" in answer and "2 reviews" in answer
    assert guidance.shipped_text("item", KEY)[:40] not in answer
    assert client.post(url(row, "effect/"), {"text": "x", "subcategory": "none"}).status_code == 404
    assert client.get(url(row, "effect/")).status_code == 405


@pytest.mark.parametrize("flow", list(INFLUENCE))
def test_every_line_has_an_effect(flow: str, row: Guidance) -> None:
    drills = SubcategoryFactory()
    for line in INFLUENCE[flow]:
        for place in (None, drills):
            found = effect(flow, line, line.text, place)
            parts = [*found.annotated.system, *found.annotated.user]
            assert found.forced and found.holds
            assert line.text.partition("{")[0] in "".join(part.text for part in parts if part.is_injected)


def test_who_may_only_look_changes_nothing(row: Guidance) -> None:
    staff = UserFactory(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_guidance"))
    looking = people.signed_in(staff)
    assert "Save as version" not in looking.get(url(row)).content.decode()
    for act, said in (("", {"text": "x"}), ("restore/", {}), ("turn/", {"why": "w"}), ("versions/1/live/", {})):
        assert looking.post(url(row, act), said).status_code == 403
    assert people.signed_in(UserFactory(is_staff=True)).get(url(row)).status_code == 403
    assert people.reviewer().get(url(row), follow=True).status_code == 403


def test_more_versions_cost_no_more_queries(client: Client, row: Guidance) -> None:
    costs = []
    for many in (9, 90):
        for n in range(many):
            guidance.save_version(row, f"Text {many} {n}.", author=UserFactory())
        for address in (url(row), "/admin/studio/influence/"):
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            costs.append(len(queries))
    assert costs[:2] == costs[2:]


@pytest.mark.parametrize("table", ["learning_guidanceversion", "learning_guidancemove"])
@pytest.mark.parametrize("act", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_versions_and_moves_are_never_changed(row: Guidance, table: str, act: str) -> None:
    assert GuidanceVersion.objects.exists() and GuidanceMove.objects.exists()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(act.format(table))
