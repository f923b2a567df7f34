"""Prompts as files: there and back without a change, and a broken file is refused with its line, whole."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from generation import prompts
from generation.models import Prompt, PromptMove, PromptVersion
from generation.prompt_files import Wording, read, text_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def run(act: str, folder: Path, *options: str) -> str:
    out = StringIO()
    call_command("prompts", act, str(folder), *options, stdout=out, no_color=True)
    return out.getvalue()


def state() -> tuple[list[object], ...]:
    """Everything that an import could touch."""
    return tuple(list(model.objects.order_by("pk").values()) for model in (Prompt, PromptVersion, PromptMove))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run("export", tmp_path)
    return tmp_path


def test_export_then_import_is_a_no_op(folder: Path) -> None:
    before, files = state(), sorted(folder.rglob("*.md"))
    assert len(files) == Prompt.objects.count() == 12
    assert "0 of 12 files would change something" in run("import", folder)
    assert "0 files imported, 12 say what is there already" in run("import", folder, "--yes")
    admin = UserFactory(is_superuser=True)
    run("import", folder, "--yes", "--live", "--by", admin.username, "--why", "as it is")
    assert state() == before
    kept = {path: path.read_bytes() for path in files}
    run("export", folder)
    assert {path: path.read_bytes() for path in files} == kept


TEXTS = [
    "",
    "one line",
    "\n\nwith empty lines around\n\n",
    "# user\n# system\n\\# user\n## user\n # user",
    "---\n{}\n---",
    "tabs\tand  spaces  \nÄ Ø 字 \u2028 \u0085 \x0b here",
    "ends with a backslash\\",
]


@pytest.mark.parametrize("system", TEXTS)
@pytest.mark.parametrize("user", TEXTS)
def test_any_text_comes_back_as_it_was(tmp_path: Path, system: str, user: str) -> None:
    text = f"{user}<<SOURCE>>{user}"
    wording = Wording("item", "extraction", system, text, "m", {"effort": "low", "n": [1, None]}, "why\n–", 7)
    (tmp_path / "a.md").write_bytes(text_of(wording).encode())
    assert read(tmp_path / "a.md", Path("a.md")) == wording
    (tmp_path / "a.md").write_bytes(text_of(wording).replace("\n", "\r\n").encode())
    assert read(tmp_path / "a.md", Path("a.md")) == wording, "as git may check it out elsewhere"


def change(folder: Path, old: str, new: str, name: str = "item/extraction.md") -> Path:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def test_a_changed_file_is_shown_and_makes_a_version_that_is_not_live(folder: Path) -> None:
    change(folder, "# user\n", "# user\nGive the unit in its own field.\n")
    change(folder, '"parameters": {}', '"parameters": {"effort": "low"}')
    change(folder, '"note": "as shipped"', '"note": "units"')
    before = state()
    told = run("import", folder)
    assert "+Give the unit in its own field." in told and '-  "parameters": {},' in told
    assert "1 of 12 files would change something; --yes makes the versions" in told
    assert state() == before
    assert "item/extraction.md: version 2, not live" in run("import", folder, "--yes")
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    made = prompt.versions.get(number=2)
    assert made.user.startswith("Give the unit in its own field.") and made.parameters == {"effort": "low"}
    assert (made.note, made.author, prompt.live and prompt.live.number) == ("units", None, 1)
    assert "0 files imported" in run("import", folder, "--yes"), "the version is there by now"


def test_live_only_with_who_and_why(folder: Path) -> None:
    change(folder, "# user\n", "# user\nA.\n")
    admin, nobody = UserFactory(is_superuser=True), UserFactory()
    before = state()
    for options in ([], ["--by", admin.username], ["--why", "x"], ["--by", nobody.username, "--why", "x"]):
        with pytest.raises(CommandError):
            run("import", folder, "--yes", "--live", *options)
    assert state() == before
    run("import", folder, "--yes", "--live", "--by", admin.username, "--why", "of the team's git")
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    move = prompt.moves.latest("pk")
    assert prompt.live is not None and (prompt.live.number, prompt.live.author) == (2, admin)
    assert (move.by, move.why) == (admin, "of the team's git")


def test_going_back_by_a_file_moves_the_pointer_to_the_version_that_there_is(folder: Path) -> None:
    first = prompts.live("item", "extraction")
    second = prompts.save_version(first.prompt, system="", user="<<SOURCE>>")
    prompts.make_live(second, by=None, why="shorter")
    told = run("import", folder)
    assert "0 of 12 files would change something" in told, "its version is there; only live differs"
    admin = UserFactory(is_superuser=True)
    options = ("--live", "--by", admin.username, "--why", "back")
    assert "was made of version 1; version 2 is live by now" in run("import", folder, *options)
    run("import", folder, "--yes", *options)
    prompt = Prompt.objects.get(pk=first.prompt_id)
    assert prompt.live == first and prompt.versions.count() == 2


BROKEN = [
    ("---\n{", "{", 1, "begins with a line ---"),
    ('"stage": "extraction",', '"stage": "extraction"', 5, "no JSON"),
    ('"flow": "item"', '"flow": "gone"', 3, "no flow 'gone'"),
    ('"stage": "extraction"', '"stage": "extracton"', 4, "no stage 'extracton'"),
    ('"parameters": {}', '"parameters": []', 7, "wrong type"),
    ('"parameters": {}', '"temperature": 1', 7, "unknown: temperature"),
    ('"model": ""', '"model": "a", "model": "b"', 6, "model stands there twice"),
    ('"model": ""', f'"model": "{"m" * 101}"', 6, "longer than 100"),
    ('"note": "as shipped"\n}\n---', '"note": "as shipped"\n}', 0, "the head has no end"),
    ("# system\n", "# sytem\n", 11, "comes a line # system"),
    ("# user\n", "# usr\n", 0, "# user is missing"),
    ("# user\n", "# user\n# user\n", 0, "a second line # user"),
    ("<<SOURCE>>", "<<SOURSE>>", 0, "unknown placeholder <<SOURSE>>"),
    ("<<SOURCE>>", "<SOURCE>>", 0, "malformed placeholder"),
    ("<<SOURCE>>", "the source", 0, "<<SOURCE>> is missing"),
]


@pytest.mark.parametrize(("old", "new", "line", "problem"), BROKEN, ids=[case[3] for case in BROKEN])
def test_a_broken_file_is_refused_with_its_line_and_nothing_is_imported(
    folder: Path, old: str, new: str, line: int, problem: str
) -> None:
    path = change(folder, old, new)
    change(folder, "# user\n", "# user\nA good one.\n", "item/formatter.md")
    before = state()
    with pytest.raises(CommandError, match="nothing is imported") as refused:
        run("import", folder, "--yes")
    told = str(refused.value)
    lines = path.read_text().split("\n")
    marks = {"unknown placeholder <<SOURSE>>": "<<SOURSE>>", "malformed placeholder": "<SOURCE>>"}
    if problem in marks:
        line = next(n for n, text in enumerate(lines, 1) if marks[problem] in text)
    elif "second line" in problem:
        line = lines.index("# user") + 2
    elif "is missing" in problem or "no end" in problem:
        line = lines.index("# user") + 2 if "# user" in lines and "SOURCE" in problem else len(lines)
    assert f"item/extraction.md, line {line}: " in told and problem in told
    assert state() == before


def test_all_broken_files_are_told_at_once_and_no_prompt_stands_twice(folder: Path) -> None:
    change(folder, "<<SOURCE>>", "<<SOURSE>>")
    (folder / "copy.md").write_bytes((folder / "question" / "judge.md").read_bytes())
    (folder / "bytes.md").write_bytes(b"---\n\xff")
    with pytest.raises(CommandError) as refused:
        run("import", folder)
    told = str(refused.value)
    assert (
        told.count("\n") == 3
        and "stands in copy.md already" in told
        and "bytes.md, line 2: this is not UTF-8" in told
    )


def test_a_folder_without_prompts_is_told(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        with pytest.raises(CommandError):
            run("import", folder)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file/.* cannot be written: Not a directory"):
        run("export", tmp_path / "file")


def test_the_head_is_json_that_other_programs_read(folder: Path) -> None:
    head = (folder / "item" / "extraction.md").read_text().split("---\n")[1]
    assert json.loads(head) == {
        "flow": "item", "stage": "extraction", "version": 1, "model": "", "parameters": {}, "note": "as shipped",
    }  # fmt: skip
