"""Which line supports a value: spellings of numbers, units, folded text, and what only looks alike."""

from typing import Any

import pytest

from review.matching import match, source_lines

TEXT = """Zweigang-Akku-Bohrschrauber mit bürstenlosem Motor
Akkuspannung 18 V, Kapazität 4,0 Ah, Li‑Ion
Drehmoment hart / weich: 60 / 34 Nm
Leerlaufdrehzahl 0–500 min⁻¹, 2. Gang 0–1.900 min⁻¹
Bohrfutter 1,5–13 mm, in Stahl 13 mm
Abmessungen: Länge 194 mm, Höhe 25,2 cm
Gewicht mit Akku 1,7 kg
Display 6.5", housing 120 x 80 x 40 mm
Vibration 9,5 m/s²"""
LINES = source_lines({"title": "Nordhaus AB 18-60 Li", "text": TEXT})


@pytest.mark.parametrize(
    ("value", "unit", "line", "shown"),
    [
        (18, "V", 3, "18 V"),
        (4.0, "Ah", 3, "4,0 Ah"),
        (4000, "mAh", 3, "4,0 Ah"),
        ("Li-ion", None, 3, "Li‑Ion"),
        (60, "Nm", 4, "60"),
        (34, "Nm", 4, "34 Nm"),
        (1900, "rpm", 5, "1.900 min⁻¹"),
        ("0–500 / 0–1,900", "rpm", 5, "0"),
        (194, "mm", 7, "194 mm"),
        (19.4, "cm", 7, "194 mm"),
        (252, "mm", 7, "25,2 cm"),
        (1.7, "kg", 8, "1,7 kg"),
        (1700, "g", 8, "1,7 kg"),
        (6.5, "in", 9, '6.5"'),
        (80, "mm", 9, "80"),
        (9.5, "m/s2", 10, "9,5"),
        ("nordhaus ab 18-60 li", None, 1, "Nordhaus AB 18-60 Li"),
        (18, None, 1, "18"),
    ],
)
def test_a_value_names_the_line_that_has_it(value: Any, unit: str | None, line: int, shown: str) -> None:
    found = match(value, unit, LINES)
    assert found
    assert not found.differs
    span = found.spans[0]
    assert span.line == line
    assert LINES[line - 1].text[span.start : span.end] == shown


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (28500, "bpm"),
        (18, "kg"),
        ("brushless", None),
        ("Ion Li", None),
        (5, "mm"),
        (None, None),
        (True, None),
        ("", None),
    ],
)
def test_what_the_source_does_not_say_has_no_line(value: Any, unit: str | None) -> None:
    assert match(value, unit, LINES) is None


@pytest.mark.parametrize(
    ("label", "value", "unit", "shown"),
    [("length", 1940, "mm", "194 mm"), ("Length", 200, "mm", "194 mm"), ("weight", 17, "kg", "1,7 kg")],
)
def test_another_figure_in_its_place_differs(label: str, value: int, unit: str, shown: str) -> None:
    found = match(value, unit, LINES, label=label)
    assert found
    assert found.differs
    span = found.spans[0]
    assert LINES[span.line - 1].text[span.start : span.end] == shown


def test_of_several_figures_in_its_place_the_likeliest_differs() -> None:
    lines = source_lines({"text": "Druckbreite: 106 mm\nAbmessungen: 23,1 x 18,0 x 16,2 cm"})
    found = match(18.0, "mm", lines, label="Width")
    assert found
    assert (found.differs, found.spans[0].line, found.unit) == (True, 2, "cm")


def test_a_text_in_other_words_keeps_the_line_it_came_from() -> None:
    found = match("Zweigang Bohrschrauber, Motor ist bürstenlos", None, LINES)
    assert found
    assert found.line == 2
    assert [LINES[1].text[span.start : span.end] for span in found.spans] == ["Zweigang", "Bohrschrauber", "Motor"]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ({"title": " A ", "text": "b\n\n c "}, ["A", "b", "c"]),
        ({"text": "b", "url": "https://x.example"}, ["b", "url: https://x.example"]),
        ({"search_queries": ["one", "two"]}, ["search_queries: one", "search_queries: two"]),
        ({"keyword": "k", "topics": [{"title": "t", "summary": "s"}]}, ["k", "title: t", "s"]),
        ({}, []),
    ],
)
def test_the_source_reads_as_lines(source: dict[str, Any], texts: list[str]) -> None:
    assert [line.text for line in source_lines(source)] == texts


PROSE = "The mill was built in 1902 by the brothers Hale, and it still stands by the river. There are {} of them."


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("There are 740 of them.", True),
        ("There are 7400 of them.", False),
        (PROSE.format(740), True),
        (PROSE.format(7400), False),
    ],
)
def test_words_around_a_wrong_figure_support_nothing(value: str, found: bool) -> None:
    """A text as long as a paragraph may take its figures from several lines."""
    source = {"text": "There are 740 of them.\nThe mill was built in 1902 by the brothers Hale."}
    assert (match(value, None, source_lines(source)) is not None) is found
