"""The flow of docs/add-a-flow.md, as it is written there: switched on, generated, shown, reviewed, learnt from."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.test import Client, override_settings
from pytest_django.fixtures import Settings

from generation import flows, pipeline, providers
from generation.intake import parse
from generation.models import Run, Status, Subcategory
from generation.runs import create
from learning import guidance
from learning.insights import stats
from review.recording import Fields, submit
from tests import scenes
from tests.config.conftest import ROOT
from tests.factories import SubcategoryFactory
from tests.generation.scripted import PROVIDER, Scripted
from tests.messages_api import MessagesApi, message

DOCUMENT = (ROOT / "docs/add-a-flow.md").read_text()
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", DOCUMENT, re.DOTALL))
SOUP = {
    "title": "Potato soup",
    "ingredients": [
        {"name": "potatoes", "value": 8500, "unit": "g"},
        {"name": "stock", "value": 1, "unit": "l"},
        {"name": "parsley", "value": None, "unit": None},
    ],
    "steps": ["Boil the potatoes in the stock.", "Mash them."],
}


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """Every file of the document, where it says."""
    folder = tmp_path / "kitchen"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "recipes" / "__init__.py").touch()
    return folder


@pytest.fixture
def soups(kitchen: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Iterator[Subcategory]:
    """The flow switched on in this process, and a subcategory for it."""
    monkeypatch.syspath_prepend(kitchen)
    monkeypatch.setitem(flows.FLOWS, "recipe", "recipes.flow.FLOW")
    monkeypatch.setitem(providers.PROVIDERS, "scripted", "tests.generation.scripted")
    settings.FOLDBACK_PROVIDER = "scripted"
    with override_settings(INSTALLED_APPS=[*settings.INSTALLED_APPS, "recipes"]):
        yield SubcategoryFactory(slug="soups", name="Soups")
    for name in [name for name in sys.modules if name.partition(".")[0] == "recipes"]:
        del sys.modules[name]


@pytest.fixture
def scripted() -> Scripted:
    PROVIDER.play(recipe=json.dumps(SOUP), supervisor="PASS")
    return PROVIDER


def made(**body: Any) -> Run:
    source = {"text": FILES["soup.txt"]}
    run = create(parse({"flow": "recipe", "subcategory": "soups", "source": source} | body))
    pipeline.generate(run.pk)
    run.refresh_from_db()
    return run


def test_it_is_about_as_short_as_it_says() -> None:
    """Statements, whatever the lines that they are laid out on."""
    tree = ast.parse(FILES["recipes/flow.py"])
    said = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    assert len(said) <= 45


@pytest.mark.usefixtures("soups")
def test_it_is_made_and_judged(scripted: Scripted) -> None:
    scripted.play(recipe=["no recipe", json.dumps(SOUP)], supervisor=["FAIL\nThe stock is 1 l.", "PASS"])
    run = made()
    assert (run.status, run.judge_outcome, run.title) == (Status.AWAITING_REVIEW, "corrected", "Potato soup")
    assert scripted.stages() == ["recipe", "recipe", "supervisor", "recipe", "supervisor"]
    assert "The stock is 1 l." in scripted.requests[3].user


@pytest.mark.usefixtures("soups")
def test_an_answer_that_is_no_recipe_ends_with_a_reason(scripted: Scripted) -> None:
    scripted.play(recipe="{}", supervisor="PASS")
    run = made()
    assert run.status == Status.FAILED
    assert run.error is not None
    assert run.error["code"] == "malformed_answer"


@pytest.mark.usefixtures("soups", "scripted")
def test_it_is_shown_on_its_own_page_in_its_own_words(client: Client) -> None:
    client.force_login(scenes.reviewer())
    text = client.get(f"/runs/{made().pk}/").text
    for words in (
        '<article class="recipe">', "css/records/recipe.css", "Wrong amounts", "no step uses it", 'id="f-title"',
        'href="#line-2"', "line 2 reads 850 g",
    ):  # fmt: skip
        assert words in text


@pytest.mark.usefixtures("scripted")
def test_what_is_said_of_it_moves_its_next_prompt_and_no_other(soups: Subcategory, scripted: Scripted) -> None:
    guidance.seed()
    fields = Fields("approve", wrong_physical_dimensions=True, missing_spec=["servings"])
    submit(made().pk, fields, reviewer=scenes.reviewer())
    assert (stats("recipe", soups).reviewed, stats("item", soups).reviewed) == (1, 0)
    scripted.requests.clear()
    run = made()
    for stage, words in {
        "recipe": ["Copy each amount with its unit", "- servings", '"title": "Potato soup"'],
        "supervisor": ["Answer FAIL where one differs."],
    }.items():
        [request] = scripted.of(stage)
        for said in words:
            assert said in request.user
    assert run.calls.get(stage="supervisor").injections.get().reason == "wrong_physical_dimensions_trigger"


@pytest.fixture
def messages_api() -> Iterator[MessagesApi]:
    api = MessagesApi()
    api.start()
    yield api
    api.stop()


@pytest.fixture
def database() -> Iterator[str]:
    """The address of an empty database beside the tests' own."""
    address, name = os.environ["DATABASE_URL"], f"kitchen_{os.getpid()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield urlsplit(address)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_its_commands_do_what_they_say(kitchen: Path, database: str, messages_api: MessagesApi) -> None:
    script = re.search(r"<!-- run by tests/config/test_add_a_flow.py -->\n```bash\n(.*?)```", DOCUMENT, re.DOTALL)
    assert script, "the document lost its marked block"
    messages_api.replies(message(json.dumps(SOUP)), message("PASS"))
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(kitchen.parent),
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": "memory://",
        "FOLDBACK_DATA_DIR": str(kitchen.parent / "var"),
        "ANTHROPIC_API_KEY": "sk-test",
        "ANTHROPIC_BASE_URL": messages_api.url,
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"python manage.py migrate -v 0\n{script[1]}"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "foldback.W015" not in done.stderr
    run = json.loads(done.stdout[done.stdout.index("{") :])
    assert (run["flow"], run["status"], run["output"]) == ("recipe", "awaiting_review", SOUP)
    assert "✓ supervisor [REVIEW 1]" in done.stderr
