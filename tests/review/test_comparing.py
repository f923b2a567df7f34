"""A record against an earlier revision of it: by value, and by word."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from generation.models import Draft, Run
from generation.wording import MOST_WORDS, marked
from review.pages.comparing import compared
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db


def spec(name: str, value: object, unit: str) -> dict[str, object]:
    return {"name": name, "value": value, "unit": unit}


BEFORE: dict[str, Any] = {
    "name": "Drill",
    "description": "A drill with two gears and a case.",
    "specifications": [spec("Voltage", 18, "V"), spec("Torque", 60, "Nm")],
    "dimensions": {"length": {"value": 19.4, "unit": "cm"}},
}
AFTER: dict[str, Any] = {
    "name": "Drill",
    "description": "A drill with three gears and a case.",
    "specifications": [spec("torque", 60, "Nm"), spec("Chuck", 13, "mm")],
    "dimensions": {"length": {"value": 194, "unit": "mm"}},
}


def by_label() -> dict[str, str]:
    return {value.label: value.change for value in compared("item", BEFORE, AFTER)}


def test_by_value_and_by_name() -> None:
    assert by_label() == {
        "Name": "same",
        "Description": "changed",
        "torque": "same",
        "Chuck": "added",
        "Length": "changed",
        "Voltage": "removed",
    }
    assert list(by_label())[-1] == "Voltage"


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ("two gears", "three gears", ["-two", "+three", "= gears"]),
        ("a case", "a case, too", ["=a case", "+, too"]),
        ("same", "same", ["=same"]),
        ("", "new", ["+new"]),
        ("old", "", ["-old"]),
        ("wholly other words", "nothing alike here", ["-wholly other words", "+nothing alike here"]),
        ("größe 194 mm", "größe 195 mm", ["=größe ", "-194", "+195", "= mm"]),
        ("電動 工具", "電動 道具", ["=電動 ", "-工具", "+道具"]),
    ],
)
def test_words(before: str, after: str, marks: list[str]) -> None:
    sign = {"same": "=", "added": "+", "removed": "-"}
    assert [sign[words.kind] + words.text for words in marked(before, after)] == marks


def test_nothing_of_either_text_is_lost() -> None:
    before, after = BEFORE["description"] + "\n<b> &", AFTER["description"] + "\n </b> &amp;"
    words = list(marked(before, after))
    assert "".join(one.text for one in words if one.kind != "added") == before
    assert "".join(one.text for one in words if one.kind != "removed") == after


def test_texts_too_long_are_shown_whole() -> None:
    long = "word " * MOST_WORDS
    assert [words.kind for words in marked(long, long + "more")] == ["removed", "added"]


# --- the pages ------------------------------------------------------------------------------------


@pytest.fixture
def run(db: None) -> Run:
    made: Run = RunFactory(revision=3)
    for revision, content in enumerate((BEFORE | {"name": "First"}, BEFORE, AFTER, {"name": "taken back"}), 1):
        Draft.objects.create(run=made, revision=revision, content=content, made_by="extraction")
    return made


def test_only_what_differs_until_all_is_asked_for(web: Client, run: Run) -> None:
    some, whole = (web.get(f"/runs/{run.pk}/changes/{query}").text for query in ("", "?all=1"))
    assert "<del>two</del><ins>three</ins>" in some
    assert '<dt dir="auto">Name</dt>' not in some
    assert '<dt dir="auto">Name</dt>' in whole


def test_against_any_earlier_revision(web: Client, run: Run) -> None:
    assert "<del>First</del><ins>Drill</ins>" in web.get(f"/runs/{run.pk}/changes/?with=1").text
    for unknown in ("3", "4", "99"):
        assert web.get(f"/runs/{run.pk}/changes/?with={unknown}").status_code == 404
    assert "taken back" not in web.get(f"/runs/{run.pk}/changes/?all=1").text


def test_the_fragment_is_no_page(web: Client, run: Run) -> None:
    hx = {"HX-Request": "true", "HX-Target": "record-as"}
    for part in ("changes", "record.json"):
        assert "<html" in web.get(f"/runs/{run.pk}/{part}/").text
        assert "<html" not in web.get(f"/runs/{run.pk}/{part}/", headers=hx).text


def test_json_in_the_records_order(web: Client, run: Run) -> None:
    text = web.get(f"/runs/{run.pk}/record.json/").text
    places = [text.index(f"&quot;{name}&quot;:") for name in ("description", "specifications", "dimensions")]
    assert places == sorted(places)


def test_a_run_with_one_revision_has_nothing_to_compare(web: Client, run: Run) -> None:
    Run.objects.update(revision=1)
    assert web.get(f"/runs/{run.pk}/changes/").status_code == 404
    assert f"/runs/{run.pk}/changes/" not in web.get(f"/runs/{run.pk}/").text


def test_as_many_queries_for_many_revisions(
    web: Client, run: Run, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for revision in range(5, 40):
        Draft.objects.create(run=run, revision=revision, content=BEFORE, made_by="extraction")
    Run.objects.update(revision=39)
    with django_assert_max_num_queries(7):
        web.get(f"/runs/{run.pk}/changes/")
