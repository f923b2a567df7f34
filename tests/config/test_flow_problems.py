"""What the system check tells of a flow from elsewhere, each mistake by itself."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from pydantic import BaseModel

from config.checks import flows
from config.flow_problems import doubts, lacks, problems
from generation.flows import FLOWS, flow
from generation.flows.base import Flow, Stage
from learning.influence import INFLUENCE, Line
from tests.twin import FLOW as TWIN


class Note(BaseModel):
    title: str


LINE = Line("bad_format", "note", "Mind the form.", trigger="bad_format_trigger")
LINES: list[Any] = [LINE]
PROMPT = "# system\nYou take notes.\n\n# user\n<<NOTE_REVIEW>>\n<<SOURCE>>\n"
MODULE = """
from dataclasses import replace
from tests.twin import FLOW as TWIN
FLOW = replace(TWIN, name="note"{rest})
"""


@pytest.fixture
def note(tmp_path: Path) -> Flow:
    """A flow without a mistake, its files in a folder of its own."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/note.md").write_text(PROMPT)
    (tmp_path / "example.json").write_text('{"title": "A note"}')
    stages = {"note": Stage("note", "Note", Note, required=("SOURCE",))}
    lines = f"{__name__}.LINES"
    return replace(
        TWIN,
        name="note",
        record=Note,
        stages=stages,
        folder=tmp_path,
        influence=lines,
        sourced=("/title",),
        words={},
    )


def test_a_right_one_has_none(note: Flow) -> None:
    assert (list(lacks(note)), list(doubts(note))) == ([], [])


@pytest.mark.parametrize("name", [name for name in FLOWS if name != "change"])
def test_the_shipped_ones_have_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.LINES", list(INFLUENCE[name]))
    shipped = replace(flow(name), influence=f"{__name__}.LINES")
    assert (list(lacks(shipped)), list(doubts(shipped))) == ([], [])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"name": "n" * 41}, "1 to 40 characters"),
        ({"stages": {"note": Stage("notes", "Note")}}, "the stage note calls itself notes"),
        ({"stages": {"note": TWIN.stages["extraction"], "x": Stage("x", "X")}}, "the stage x has no prompts/x.md"),
        ({"stages": {"first-note": Stage("first-note", "Note")}}, "'first-note' is not named with a letter first"),
        ({"influence": "learning.influence.NOTHING"}, '"NOTHING"'),
        ({"influence": "learning.influence.INFLUENCE"}, "is no tuple of lines"),
        ({"words": {"bad_form": ("a", "b")}}, "the signal bad_form, which there is not; known: information"),
        ({"words": {"bad_format": "Untidy"}}, "words of bad_format are no pair"),
    ],
)  # fmt: skip
def test_what_a_flow_says_wrong(note: Flow, changed: Mapping[str, Any], told: str) -> None:
    assert told in "\n".join(lacks(replace(note, **changed)))


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("example.json", None, "example.json cannot be read"),
        ("example.json", "{", "example.json cannot be read"),
        ("prompts/note.md", None, "the stage note has no prompts/note.md"),
        ("prompts/note.md", "Take notes of <<SOURCE>>", "no line"),
        ("prompts/note.md", "# system\nTake notes.\n# user\n", "no line"),
        ("prompts/note.md", PROMPT.replace("SOURCE", "SORCE"), "<<SORCE>> at line 6, column 1; did you"),
        ("prompts/note.md", PROMPT.replace("<<SOURCE>>", ""), "lacks <<SOURCE>>, which the stage requires"),
        ("prompts/note.md", PROMPT.replace("<<SOURCE>>", "<<source>>"), "malformed placeholder <<source>>"),
    ],
)  # fmt: skip
def test_what_its_files_lack(note: Flow, file: str, text: str | None, told: str) -> None:
    (note.folder / file).unlink() if text is None else (note.folder / file).write_text(text)
    assert told.replace("no line", "is not a line `# system`") in "\n".join(lacks(note))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([LINE, LINE], "the line bad_format.note: there are two"),
        ([replace(LINE, stage="notes")], "the flow has no stage notes"),
        ([replace(LINE, signal="bad_form")], "no signal bad_form; known: information_present, bad_format"),
        ([replace(LINE, trigger="bad_format")], "no trigger bad_format; known: bad_format_trigger"),
        ([replace(LINE, fills="name")], "nothing fills name; known: names, note, subcategory"),
        ([replace(LINE, text="Look for {names}.")], 'has {names} without fills="names"'),
        (["bad_format"], "is no tuple of lines"),
    ],
)
def test_what_its_lines_lack(note: Flow, lines: list[Any], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.LINES", lines)
    assert told in "\n".join(lacks(note))


@pytest.mark.parametrize(
    ("changed", "file", "text", "told"),
    [
        ({}, "prompts/note.md", PROMPT.replace("<<NOTE_REVIEW>>", ""), "no <<NOTE_REVIEW>>: what reviews say"),
        ({}, "example.json", '{"heading": "A note"}', "example.json is no record: /title: Field required"),
        ({"sourced": ("/titel",)}, "", "", "sourced names /titel, which no record has"),
        ({"correctable": ("title",)}, "", "", ""),
        ({"correctable": ("/text/*",)}, "", "", "correctable names /text/*, which no record has"),
    ],
)
def test_what_is_hardly_meant(note: Flow, changed: Mapping[str, Any], file: str, text: str, told: str) -> None:
    if file:
        (note.folder / file).write_text(text)
    assert list(lacks(note)) == []
    assert told in "\n".join(doubts(replace(note, **changed)))


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("FLOW = 1", "this is no Flow"),
        ("from nowhere import FLOW", "No module named 'nowhere'"),
        ("FLOW = Flow(", "line 1"),
        ("FLOW = made()", "NameError: name 'made' is not defined"),
        (MODULE.format(rest=", lable='Note'"), "TypeError"),
        (MODULE.format(rest=", stages={}"), ""),
    ],
)
def test_a_module_that_does_not_load_is_told_with_its_place(
    module: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = tmp_path.name
    (tmp_path / f"{name}.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    said = "\n".join(problems("note", f"{name}.FLOW"))
    assert told in said
    assert not told.startswith("TypeError") or f"{name}.py, line 4" in said


def test_a_check_lists_all_of_them(note: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.TWIN", replace(note, name="other", words={"x": ("a", "b")}))
    with override_settings(FOLDBACK_FLOWS={"note": f"{__name__}.TWIN"}):
        [error] = flows()
    assert error.id == "foldback.E015"
    assert error.msg.count("\n\t- ") == 2
    monkeypatch.setattr(f"{__name__}.TWIN", replace(note, sourced=("/x",)))
    with override_settings(FOLDBACK_FLOWS={"note": f"{__name__}.TWIN"}):
        assert [message.id for message in flows()] == ["foldback.W015"]
