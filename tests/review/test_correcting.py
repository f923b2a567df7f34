"""Values corrected in place: what is taken, what is refused, and the revision that comes of it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client

from generation import search
from generation.errors import BadInput, Conflict
from generation.models import Draft, Run, Status
from learning import acceptance, own_review
from review import recording
from review.correcting import LONGEST, MOST, changes, corrected, label_at, place_of, pointer_to, values_at
from review.models import ReviewEvent, ReviewForm
from review.recording import Fields
from tests import scenes
from tests.callers import Caller
from tests.factories import RunFactory, UserFactory
from tests.people import a_reviewer
from tests.review.reviews import broken_history, now

ITEM: dict[str, Any] = {
    "name": "Nordhaus AB 18-60",
    "description": None,
    "specifications": [
        {"name": "Voltage", "value": 18, "unit": "V"},
        {"name": "Chuck", "value": "keyless", "unit": None},
    ],
    "dimensions": {"length": {"value": 19.4, "unit": "m"}, "width": None},
    "sources": ["source"],
}


def put(pointer: str, value: Any, content: dict[str, Any] = ITEM) -> Any:
    found: Any = corrected("item", content, {pointer: value})
    for part in pointer.split("/")[1:]:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


@pytest.mark.parametrize(
    ("pointer", "typed", "stored"),
    [
        ("/name", "Nordhaus AB 18", "Nordhaus AB 18"),
        ("/name", "1900", "1900"),
        ("/description", "A drill.", "A drill."),
        ("/description", "", None),
        ("/dimensions/length/value", "194", 194),
        ("/dimensions/length/value", " 19,5 ", 19.5),
        ("/dimensions/length/value", "19.4", 19.4),
        ("/dimensions/length/value", 194, 194),
        ("/dimensions/length/unit", "mm", "mm"),
        ("/specifications/0/value", "20", 20),
        ("/specifications/0/value", "18 or 20", "18 or 20"),
        ("/specifications/0/value", "", None),
        ("/specifications/1/value", "13", "13"),
        ("/specifications/1/unit", "mm", "mm"),
        ("/specifications/0/name", "Battery voltage", "Battery voltage"),
        ("/sources", "source\n https://maker.example \n\n", ["source", "https://maker.example"]),
    ],
)
def test_text_becomes_what_the_field_takes(pointer: str, typed: Any, stored: Any) -> None:
    assert put(pointer, typed) == stored
    assert type(put(pointer, typed)) is type(stored)


def test_a_size_that_was_not_given_takes_value_and_unit() -> None:
    typed = {"/dimensions/width/unit": "mm", "/dimensions/width/value": "80"}
    for values in (typed, dict(reversed(typed.items()))):
        assert corrected("item", ITEM, values)["dimensions"]["width"] == {"value": 80, "unit": "mm"}
    assert ITEM["dimensions"]["width"] is None


@pytest.mark.parametrize(
    ("pointer", "typed", "said"),
    [
        ("/nothing", "x", "no such value"),
        ("", "x", "no such value"),
        ("name", "x", "no such value"),
        ("/specifications", "x", "no such value"),
        ("/specifications/0", {"name": "a", "value": 1}, "no such value"),
        ("/specifications/2/value", "1", "no such value"),
        ("/specifications/-1/value", "1", "no such value"),
        ("/specifications/x/value", "1", "no such value"),
        ("/name/first", "x", "no such value"),
        ("/dimensions/length/value/more", "x", "no such value"),
        ("/dimensions/width/colour", "red", "no such value"),
        ("/dimensions/breadth/value", "80", "unknown field"),
        ("/dimensions/length/value", "long", "valid integer"),
        ("/dimensions/length/value", "", "valid integer"),
        ("/dimensions/length/value", "1.900", "two ways"),
        ("/dimensions/length/value", "1,900", "two ways"),
        ("/dimensions/length/value", "nan", "valid integer"),
        ("/dimensions/length/value", "1e99", "valid integer"),
        ("/dimensions/length/value", "1e-99", "valid integer"),
        ("/dimensions/length/value", True, "valid integer"),
        ("/dimensions/length/value", {"deep": 1}, "valid integer"),
        ("/dimensions/length/unit", "", "valid string"),
        ("/dimensions/width/value", "80", "required"),
        ("/name", "", "valid string"),
        ("/name", None, "valid string"),
    ],
)
def test_what_cannot_stand_there_is_refused_by_its_place(pointer: str, typed: Any, said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        corrected("item", ITEM, {pointer: typed, "/description": "Fine."})
    (problem,) = refusal.value.problems
    assert said in problem.detail
    assert problem.pointer.startswith("/corrections")
    assert place_of(problem.pointer).startswith(pointer if said != "required" else "/dimensions/width")


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ("/dimensions/length", "/corrections/~1dimensions~1length"),
        ("nope", "/corrections/nope"),
        ("/a~1b/c~0~01", "/corrections/~1a~01b~1c~00~001"),
    ],
)
def test_a_correction_is_pointed_at_by_its_name_in_the_body(place: str, pointer: str) -> None:
    assert pointer_to(place) == pointer
    assert place_of(pointer) == place


def test_all_refusals_are_told_at_once() -> None:
    with pytest.raises(BadInput) as refusal:
        corrected("item", ITEM, {"/dimensions/length/value": "long", "/nothing": "x", "/name": "Good"})
    assert len(refusal.value.problems) == 2


def test_what_was_wrong_before_is_no_reason_to_refuse() -> None:
    broken = {**ITEM, "dimensions": {"length": {"value": "long", "unit": "m"}, "width": None}}
    assert put("/name", "Better", broken) == "Better"
    assert put("/dimensions/length/value", "194", broken) == 194
    assert put("/specifications/0/value", "20", broken) == 20  # of the same name elsewhere


def test_a_part_of_a_list_of_several_kinds() -> None:
    text = {"type": "body_text", "paragraphs": ["One.", "Two."]}
    article = {"title": "T", "blocks": [{"type": "headline", "text": "H"}, text], "mentions": []}
    assert corrected("editorial", article, {"/blocks/1/paragraphs/1": "Three."})["blocks"][1]["paragraphs"] == [
        "One.",
        "Three.",
    ]
    with pytest.raises(BadInput, match="/corrections/~1blocks~10~1text"):
        corrected("editorial", article, {"/blocks/0/text": ""})


def test_an_agents_change_is_not_written_by_hand() -> None:
    with pytest.raises(BadInput, match="no such value"):
        corrected("change", {"output": "done", "diff": ""}, {"/output": "mine"})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({f"/{n}": "" for n in range(MOST + 1)}, "At most 500"),
        ({"/name": "x" * LONGEST}, "At most 20000"),
        ({"/name": "a\0b"}, "Null"),
        ({"/name": ["\ud800"]}, "Null"),
        ({"/na\0me": "b"}, "Null"),
        ({"/dimensions/length/value": 1e99}, "from 1e-40 to 1e40"),
        ({"/sources": [[1e99]] * 1000}, "~1sources/0/0: A number"),
    ],
)
def test_limits(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        values_at(values)
    assert values_at({"/name": "a\r\nb"}) == {"/name": "a\nb"}


def test_changes_say_from_and_to_by_the_name_that_people_use() -> None:
    values = {"/dimensions/length/value": "194", "/dimensions/length/unit": "mm", "/specifications/0/value": "18"}
    after = corrected("item", ITEM, values)
    assert changes(ITEM, after, values) == [
        {"pointer": "/dimensions/length/unit", "label": "Dimensions length unit", "from": "m", "to": "mm"},
        {"pointer": "/dimensions/length/value", "label": "Dimensions length", "from": 19.4, "to": 194},
    ]
    assert label_at(ITEM, ["specifications", "0", "value"]) == "Voltage"
    assert label_at(ITEM, ["specifications", "0", "unit"]) == "Voltage unit"
    assert label_at({"options": [{"text": "a"}]}, ["options", "0", "text"]) == "Options 1 text"


# --- submitted ------------------------------------------------------------------------------------

FIX = {"/dimensions/length/value": "194", "/dimensions/length/unit": "mm"}
APPROVE = Fields(decision="approve", values=FIX)


@pytest.fixture
def mia() -> User:
    user: User = UserFactory(username="mia")
    return user


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory(revision=2)
    finding = {"severity": "warning", "code": "size", "detail": "long"}
    Draft.objects.create(run=made, revision=1, content={"name": "First"}, made_by="extraction")
    Draft.objects.create(
        run=made,
        revision=2,
        content=ITEM,
        made_by="extraction",
        findings=[finding | {"field": "/dimensions/length"}, finding | {"field": "/specifications/0"}],
    )
    return made


@pytest.mark.django_db
class TestSubmitting:
    def test_the_corrected_record_is_the_next_revision_by_this_person(self, mia: User, run: Run) -> None:
        event = recording.submit(run.pk, APPROVE, reviewer=mia, revision=2).event
        assert event is not None and event.draft is not None
        final = Draft.objects.get(run=run, revision=3)
        assert final.content["dimensions"]["length"] == {"value": 194, "unit": "mm"}
        assert (final.made_by, final.author, final.round) == ("person", mia, 1)
        assert [finding["field"] for finding in final.findings] == ["/specifications/0"]
        assert (now(run).status, now(run).revision) == ("approved", 3)
        assert event.draft.revision == 2
        assert [change["to"] for change in event.corrections["values"]] == ["mm", 194]
        assert Draft.objects.get(run=run, revision=2).content == ITEM

    def test_an_approval_with_a_correction_is_no_first_pass(self, mia: User, run: Run) -> None:
        recording.submit(run.pk, APPROVE, reviewer=mia)
        assert not ReviewEvent.objects.filter(acceptance.ACCEPTED).exists()

    def test_what_stands_there_already_corrects_nothing(self, mia: User, run: Run) -> None:
        same = replace(APPROVE, values={"/name": ITEM["name"], "/dimensions/length/value": "19.4"})
        event = recording.submit(run.pk, same, reviewer=mia).event
        assert event is not None and event.corrections == {}
        assert now(run).revision == 2
        assert ReviewEvent.objects.filter(acceptance.ACCEPTED).exists()

    def test_a_rejected_record_stays_as_it_is_and_the_correction_is_kept(self, mia: User, run: Run) -> None:
        event = recording.submit(run.pk, replace(APPROVE, decision="reject"), reviewer=mia).event
        assert event is not None and len(event.corrections["values"]) == 2
        assert (now(run).revision, Draft.objects.filter(run=run).count()) == (2, 2)

    def test_sent_twice_it_is_one_review_and_one_revision(self, mia: User, run: Run) -> None:
        first = recording.submit(run.pk, APPROVE, reviewer=mia, revision=2)
        again = recording.submit(run.pk, APPROVE, reviewer=mia, revision=2)
        assert again.event == first.event
        assert Draft.objects.filter(run=run).count() == 3
        with pytest.raises(Conflict):
            recording.submit(run.pk, replace(APPROVE, values={"/name": "Other"}), reviewer=mia, revision=2)

    def test_refused_nothing_is_written(self, mia: User, run: Run) -> None:
        with pytest.raises(BadInput):
            recording.submit(run.pk, replace(APPROVE, values=FIX | {"/nothing": "x"}), reviewer=mia)
        assert not ReviewForm.objects.exists()
        assert (now(run).status, Draft.objects.count()) == ("awaiting_review", 2)

    def test_a_history_that_failed_says_the_same_later(self, mia: User, run: Run) -> None:
        with broken_history():
            assert recording.submit(run.pk, APPROVE, reviewer=mia).event is None
        ReviewForm.objects.update(submitted_at=Now() - timedelta(minutes=1))
        assert recording.write_missing_events() == 1
        assert [change["to"] for change in ReviewEvent.objects.get().corrections["values"]] == ["mm", 194]

    def test_half_filled_it_is_kept_as_typed(self, mia: User, run: Run) -> None:
        recording.save_half_filled(run.pk, mia, Fields(values={"/dimensions/length/value": "not yet"}))
        assert ReviewForm.objects.get().values == {"/dimensions/length/value": "not yet"}


@pytest.mark.django_db
class TestTakingBack:
    def test_the_record_before_stands_again_and_the_form_is_as_it_was(self, mia: User, run: Run) -> None:
        recording.submit(run.pk, APPROVE, reviewer=mia)
        recording.undo(run.pk, mia)
        assert (now(run).status, now(run).revision) == ("awaiting_review", 2)
        form = ReviewForm.objects.get()
        assert (form.state, form.values, form.corrected) == ("half_filled", FIX, None)

    def test_its_words_are_found_no_more(self, mia: User, run: Run) -> None:
        recording.submit(run.pk, Fields("approve", values={"/name": "Zyklop"}), reviewer=mia)
        assert search.found("zyklop").exists()
        recording.undo(run.pk, mia)
        assert not search.found("zyklop").exists()

    def test_the_next_correction_makes_a_revision_of_its_own(self, mia: User, run: Run) -> None:
        recording.submit(run.pk, APPROVE, reviewer=mia)
        recording.undo(run.pk, mia)
        recording.submit(run.pk, replace(APPROVE, values={"/name": "Better"}), reviewer=mia, revision=2)
        assert now(run).revision == 4
        final = Draft.objects.get(run=run, revision=4).content
        assert (final["name"], final["dimensions"]) == ("Better", ITEM["dimensions"])

    def test_a_revise_until_its_round_has_a_draft(self, mia: User, run: Run) -> None:
        revise = replace(APPROVE, decision="revise")
        recording.submit(run.pk, revise, reviewer=mia)
        assert (now(run).status, now(run).revision, now(run).round) == ("queued", 3, 2)
        recording.undo(run.pk, mia)
        assert (now(run).status, now(run).revision, now(run).round) == ("awaiting_review", 2, 1)
        recording.submit(run.pk, revise, reviewer=mia)
        Draft.objects.create(run=run, revision=5, content=ITEM, made_by="extraction", round=2)
        Run.objects.update(revision=5, status=Status.AWAITING_REVIEW)
        with pytest.raises(Conflict, match="next round has produced"):
            recording.undo(run.pk, mia)


@pytest.mark.django_db
def test_the_next_round_is_told_what_was_put_right(mia: User, run: Run) -> None:
    revise = replace(APPROVE, decision="revise", notes="See the label.")
    event = recording.submit(run.pk, revise, reviewer=mia).event
    assert event is not None
    said = own_review.stored(ReviewEvent.objects.values("id", *own_review.FIELDS).get(pk=event.pk))
    assert said.notes == (
        "See the label.\nDimensions length unit: m is wrong, right is mm\n"
        "Dimensions length: 19.4 is wrong, right is 194"
    )


# --- over REST, and on the page -------------------------------------------------------------------


@pytest.fixture
def caller(db: None) -> Caller:
    return Caller(user=a_reviewer("ada"))


@pytest.mark.django_db
def test_over_rest(run: Run, caller: Caller) -> None:
    body = {"decision": "approve", "corrections": {"/dimensions/length/value": 194}}
    answer = caller("POST", f"/runs/{run.pk}/reviews", body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["corrections"]["values"][0]["to"] == 194
    assert caller("GET", f"/runs/{run.pk}").json()["output"]["dimensions"]["length"]["value"] == 194


@pytest.mark.django_db
def test_over_rest_a_refusal_names_the_field(run: Run, caller: Caller) -> None:
    body = {"decision": "approve", "corrections": {"/dimensions/length/value": "long"}}
    answer = caller("POST", f"/runs/{run.pk}/reviews", body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/corrections/~1dimensions~1length~1value"


@pytest.mark.django_db
class TestOnThePage:
    def test_every_value_can_be_corrected_where_it_stands(self, web: Client) -> None:
        text = web.get(f"/runs/{scenes.drill(scenes.subcategories()['drills']).pk}/").text
        assert 'name="value:/dimensions/length/value"' in text
        assert 'name="value:/dimensions/length/unit"' in text
        assert 'name="value:/dimensions/diameter/value"' in text  # not given
        assert 'name="value:/name"' in text

    def test_sent_without_a_script_only_what_differs_counts(self, web: Client, run: Run) -> None:
        sent = {
            "decision": "approve",
            "revision": "2",
            "value:/name": ITEM["name"],
            "value:/description": "",
            "value:/dimensions/length/value": "194",
            "value:/dimensions/length/unit": "mm",
            "value:/dimensions/width/value": "",
            "value:/dimensions/width/unit": "",
            "value:/sources": "source",
        }
        assert web.post(f"/runs/{run.pk}/review/", sent).status_code == 302
        changed = ReviewEvent.objects.get().corrections["values"]
        assert [change["pointer"] for change in changed] == sorted(FIX)

    def test_a_refusal_stands_at_its_value_with_what_was_typed(self, web: Client, run: Run) -> None:
        sent = {"decision": "approve", "revision": "2", "value:/dimensions/length/value": "very <long>"}
        answer = web.post(f"/runs/{run.pk}/review/", sent)
        assert answer.status_code == 422
        assert 'value="very &lt;long&gt;"' in answer.text
        assert "valid integer" in answer.text

    def test_the_history_shows_was_and_now(self, web: Client, run: Run, me: User) -> None:
        recording.submit(run.pk, APPROVE, reviewer=me)
        text = web.get(f"/runs/{run.pk}/").text
        assert '<del dir="auto">19.4</del> <ins dir="auto">194</ins>' in text
