"""The README's commands do what it says, on a real installation."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from tests.config.conftest import ROOT, Installation
from tests.config.scripts import run_block

README = (ROOT / "README.md").read_text()


def test_the_path_with_curl_works_as_written(installation: Installation) -> None:
    answers = run_block("README.md", "tests/config/test_readme.py", installation)
    assert "'name': 'Nordwind ND 18'" in answers  # the record
    assert '"decision": "reject"' in answers  # the review event
    triggers = json.loads(next(line for line in answers.splitlines() if "bad_format_trigger" in line))
    assert triggers["subcategory"] == "cordless-drills"
    assert "<source>" in answers or "Make the record" in answers  # the resolved prompt


DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for link in re.findall(r"\]\((?!http)([^)]+)\)", document.read_text()):
        path, _, heading = link.partition("#")
        file = document.parent / path if path else document
        if not file.exists() or (heading and heading not in headings(file)):
            broken.append(link)
    assert broken == []


def headings(file: Path) -> set[str]:
    """The anchors that a page shown on the web has: small letters, hyphens for blanks, no other signs."""
    titles = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_document_is_in_the_index() -> None:
    index = README.split("## All documents")[1].split("\n## ")[0]
    linked = {link for link in re.findall(r"\]\(([^)#]+)", index) if link.startswith("docs/")}
    assert linked == {f"docs/{file.name}" for file in (ROOT / "docs").iterdir() if file.suffix in (".md", ".yml")}


def test_every_rule_names_tests_that_there_are() -> None:
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", (ROOT / "tests/README.md").read_text())
    assert len(named) > 70
    gone = [
        (file, test)
        for file, test in named
        if not (ROOT / "tests" / file).exists()
        or (test and f"def {test}(" not in (ROOT / "tests" / file).read_text())
    ]
    assert gone == []


def test_every_command_that_documents_name_is_there() -> None:
    """`manage.py NAME`, with the options given beside it on the same line."""
    given = [
        found
        for document in [*DOCUMENTS, ROOT / "compose.yaml"]
        for found in re.findall(r"manage\.py ([a-z_]+)([^\n`|]*)", document.read_text())
    ]
    known = {name: options_of(name) for name, _ in given}
    assert len(known) > 8 and [name for name, options in known.items() if not options] == []
    unknown = {(name, option) for name, rest in given for option in re.findall(r"--[a-z][a-z-]*", rest)}
    assert {(name, option) for name, option in unknown if option not in known[name]} == set()


def options_of(name: str) -> set[str]:
    """The options of a command and of its parts; none where there is no such command."""
    if (app := get_commands().get(name)) is None:
        return set()
    parsers: list[ArgumentParser] = [load_command_class(app, name).create_parser("manage.py", name)]
    for action in parsers[0]._actions:
        if isinstance(action.choices, dict):
            parsers += action.choices.values()
    return {option for parser in parsers for action in parser._actions for option in action.option_strings}
