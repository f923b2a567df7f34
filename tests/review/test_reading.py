"""A flow's own page of a record: values by pointer, findings at them or above, and nothing found is lost."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.test import override_settings

from generation.flows import FLOWS, flow
from generation.models import Draft, Run
from review.pages.reading import Reading, fits, reading
from review.pages.record import sheet

CONTENT: dict[str, Any] = {
    "name": "Halden <b>20</b>",
    "description": None,
    "specifications": [
        {"name": "volume", "value": 20, "unit": "l"},
        {"name": "colour", "value": "red", "unit": None},
    ],
    "sources": ["source"],
}
SOURCE = {"text": "Halden backpack\nVolume 20 l"}


def found(pointer: str, detail: str, severity: str = "warning") -> dict[str, str]:
    return {"field": pointer, "code": "x", "severity": severity, "detail": detail}


def read(content: dict[str, Any], flow_name: str = "item", **given: Any) -> Reading:
    known = flow(flow_name)
    laid_out = sheet(content, SOURCE, schema=known.record, sourced=known.sourced, **given)
    return reading(Run(flow=flow_name), Draft(content=content), laid_out)


@pytest.fixture
def own_page(tmp_path: Path) -> Iterator[Path]:
    """Where a page for items is written, found before the shipped ones."""
    folder = tmp_path / "review" / "records"
    folder.mkdir(parents=True)
    shipped: dict[str, Any] = settings.TEMPLATES[0]
    engine = shipped | {"DIRS": [tmp_path, *shipped["DIRS"]]}
    with override_settings(TEMPLATES=[engine]):
        yield folder / "item.html"


def test_a_value_is_shown_with_its_unit_and_its_line(own_page: Path) -> None:
    own_page.write_text('{% load records %}{% field "/specifications/0" %}|{% field "/name" %}')
    volume, name = read(CONTENT).html.split("|")
    assert 'id="f-specifications-0" data-field' in volume
    assert '20 <span class="unit">l</span>' in volume
    assert 'href="#line-2"' in volume
    assert "Halden &lt;b&gt;20&lt;/b&gt;" in name


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ('{% field "/specifications" n %}', "red"),
        ('{% field "specifications" n "/" %}', "red"),
        ('{% field "/description" %}', "not given"),
        ('{% field "/nowhere" %}', "not given"),
        ('{% field "/specifications" %}', "20, red"),
        ('{% marked "/specifications" n %}<p>own {{ record.name }}</p>{% endmarked %}', "<p>own Halden &lt;b&gt;"),
        ('{% spot "/specifications/0" as here %}{{ here.row.label }}', "volume"),
        ("{{ run.flow }} {{ draft.content.name }} {{ record|length }}", "item Halden &lt;b&gt;20&lt;/b&gt; 5"),
    ],
)
def test_what_a_page_may_write(own_page: Path, tag: str, text: str) -> None:
    own_page.write_text(f"{{% load records %}}{{% with n=1 %}}{tag}{{% endwith %}}")
    assert text in read(CONTENT).html


def test_what_a_value_was_and_what_the_source_has_in_its_place_stand_beside_it(own_page: Path) -> None:
    own_page.write_text('{% load records %}{% field "/specifications/0" %}{% field "/specifications/1" %}')
    before = CONTENT | {"specifications": [{"name": "volume", "value": 30, "unit": "l"}]}
    html = read(CONTENT, before=before).html
    assert "was 30 l" in html
    assert "not in source" in html


@pytest.mark.parametrize(
    ("fragment", "pointer", "expected"),
    [
        ('{% field "/name" %}', "/name", "field"),
        ('{% field "/name" %}', "/name/0", "field"),
        ('{% field "/name" %}', "/names", "top"),
        ('{% field "/name" %}', "", "top"),
        ('{% field "/name" %}', "/", "top"),
        ('{% field "/name" %}', "/specifications/0", "top"),
        ('{% notes "/specifications" %}{% field "/name" %}', "/specifications/1/unit", "field"),
        ('{% marked "/specifications/1" %}x{% endmarked %}', "/specifications/1/value", "field"),
        ('{% marked "/specifications/1" %}x{% endmarked %}', "/specifications/10", "top"),
        ('{% spot "/name" as here %}{{ here.said.0.1.text }}', "/name", "field"),
    ],
)
def test_a_finding_stands_at_its_field_else_at_the_nearest_one_above(
    own_page: Path, fragment: str, pointer: str, expected: str
) -> None:
    own_page.write_text("{% load records %}" + fragment)
    shown = read(CONTENT, findings=[found(pointer, "look here", "error")])
    assert ("look here" in shown.html) is (expected == "field")
    assert ["look here"] * (expected == "top") == [note.text for _where, note in shown.said]
    assert shown.found == (expected == "field")


def test_a_finding_that_moved_up_says_where_it_belongs(own_page: Path) -> None:
    own_page.write_text('{% load records %}{% notes "/specifications" %}')
    shown = read(CONTENT, findings=[found("/specifications/1/unit", "none"), found("/main_name", "gone")])
    assert '<span class="finding-where">2. unit:</span> <span class="said" dir="auto">none</span>' in shown.html
    assert [where for where, _note in shown.said] == ["main name"]


def test_a_value_that_is_shown_twice_has_its_id_and_its_findings_once(own_page: Path) -> None:
    own_page.write_text('{% load records %}{% field "/name" %}{% field "/name" %}')
    html = read(CONTENT, findings=[found("/name", "look here")]).html
    assert html.count('id="f-name"') == html.count("look here") == 1
    assert html.count("Halden") == 2


def test_words_of_the_source_lead_to_the_part_that_the_page_shows(own_page: Path) -> None:
    own_page.write_text('{% load records %}{% marked "/specifications" %}all{% endmarked %}')
    marks = [piece.rows for _line, pieces in read(CONTENT).source for piece in pieces if piece.rows]
    assert marks[-1].split() == ["f-name", "f-specifications"]


def test_a_record_that_is_not_of_its_schema_is_shown_as_a_table(own_page: Path) -> None:
    own_page.write_text("own page")
    assert read(CONTENT).html == "own page"
    broken = read(CONTENT | {"specifications": "none"}, findings=[found("/specifications", "no list")])
    assert "own page" not in broken.html
    assert "no list" in broken.html


def test_what_need_not_stand_in_the_source_is_never_missed() -> None:
    laid_out = sheet({"stem": "Which drug?", "name": "Halden", "sure": True}, SOURCE, sourced=("/name", "/b/*/c"))
    assert laid_out.unsupported == []
    assert [row.line for row in laid_out.rows] == [None, 1, None]
    laid_out = sheet({"stem": "Which drug?", "b": [{"c": "Lisbon"}]}, SOURCE, sourced=("/name", "/b/*/c"))
    assert [row.pointer for row in laid_out.unsupported] == ["/b/0/c"]


def test_parts_of_a_list_are_compared_by_their_place() -> None:
    blocks = [{"text": "one"}, {"text": "two"}]
    page = sheet({"blocks": blocks}, {}, before={"blocks": [{"text": "one"}, {"text": "deux"}]})
    assert [(row.label, row.was) for row in page.changed] == [("2. Text", "deux")]


def _pointers(value: Any, here: str = "") -> Iterator[str]:
    yield here
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _pointers(inner, f"{here}/{key}")


@pytest.mark.parametrize("name", sorted(FLOWS))
def test_nothing_that_was_found_is_lost_on_any_flows_page(name: str) -> None:
    content = json.loads((flow(name).folder / "example.json").read_text())
    assert fits(content, flow(name).record)
    pointers = [*_pointers(content), "/nowhere", "/0/1"]
    checked = [found(pointer, f"checked-{n}#") for n, pointer in enumerate(pointers)]
    judged = [found(pointer, f"judged-{n}#", "error") for n, pointer in enumerate(pointers)]
    shown = read(content, name, findings=checked, judged=judged, feedback="freely-0#", judge="Judge")
    text = shown.html + "".join(note.text for _where, note in shown.said)
    said = Counter(re.findall(r"(?:checked|judged|freely)-\d+#", text))
    assert said == Counter([note["detail"] for note in (*checked, *judged)] + ["freely-0#"])


@pytest.mark.parametrize("name", sorted(FLOWS))
def test_no_id_stands_twice_on_any_flows_page(name: str) -> None:
    content = json.loads((flow(name).folder / "example.json").read_text())
    ids = Counter(re.findall(r' id="([^"]+)"', read(content, name).html))
    assert ids
    assert max(ids.values()) == 1


def test_the_shipped_pages_are_found_by_the_names_of_flows() -> None:
    own = [path.stem for path in (settings.BASE_DIR / "templates/review/records").glob("[!_]*.html")]
    assert set(own) <= set(FLOWS)
    with pytest.raises(TemplateDoesNotExist):
        get_template("review/records/item.html")  # an item is read as a table


def test_what_check_judge_and_feedback_say_alike_is_shown_once() -> None:
    check = found("/name", "Field required", "error")
    judged = found("/description", "accuracy (major): It is blue. Not red.", "error")
    feedback = "format (critical): /name: Field required\naccuracy (major): It is blue. Not red.\nAnd too short."
    page = read(CONTENT, findings=[check], judged=[check, judged], feedback=feedback, judge="Criteria")
    assert [note.text for note in page.sheet.notes] == [check["detail"], judged["detail"], "And too short."]
