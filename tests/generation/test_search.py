"""Searching: which words of source and record find a run, and when they do."""

import pytest

from generation import search
from generation.batches import create_many
from generation.intake import parse
from generation.models import Run
from generation.runs import create
from generation.tasks import enqueue_batch
from tests.factories import DraftFactory, RunFactory

pytestmark = pytest.mark.django_db

SOURCE = {
    "title": "Nordhaus AB-18/60 Li",
    "text": "Akku-Bohrschrauber\nmit Größe 4,0 Ah; Straße, Übermaß. Café crème. Ladegerät_AL30",
    "search_queries": ["18 V driver"],
}
RECORD = {"name": "Cordless drill", "specifications": [{"name": "Impact rate", "value": 28500, "unit": "bpm"}]}


@pytest.fixture
def drill() -> Run:
    run: Run = DraftFactory(
        run=RunFactory(title="Bench", external_id="SKU-991", source=SOURCE), content=RECORD
    ).run
    DraftFactory(run=RunFactory(title="Scale", source={"title": "Waage"}), content={"name": "Scale"})
    return run


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("bohrschrauber", True),
        ("BOHRSCHRAUBER akku", True),
        ("bohr", True),
        ("schrauber", False),
        ("größe", True),
        ("grosse", True),
        ("GRÖSSE", True),
        ("gröse", False),
        ("strasse", True),
        ("ubermass", True),
        ("cafe creme", True),
        ("AB-18/60", True),
        ("ab 18", True),
        ("4,0 ah", True),
        ("al30", True),
        ("28500", True),
        ("285", True),
        ("28", False),
        ("bench", True),
        ("sku-991", True),
        ("driver", True),
        ("specifications", False),
        ("bohrschrauber waage", False),
        ("", False),
        ("& | ! ' \\ :* <->", False),
        ("x" * 5000, False),
    ],
)
def test_words_that_find_it(drill: Run, text: str, is_found: bool) -> None:
    assert list(search.found(text).values_list("run", flat=True)) == [drill.pk] * is_found


def test_the_newest_record_counts(drill: Run) -> None:
    DraftFactory(run=drill, revision=2, content={"name": "Hammer"})
    assert search.found("hammer nordhaus").exists() and not search.found("28500").exists()


def test_a_new_run_is_found_before_it_has_a_record() -> None:
    run = create(parse({"flow": "item", "source": {"title": "Label printer"}}))
    assert search.found("printer").get().pk == run.pk


def test_the_runs_of_a_batch_are_found_once_its_task_has_come() -> None:
    batch, runs, _bad = create_many(
        [{"flow": "item", "source": {"title": f"Label printer {n}"}} for n in range(3)]
    )
    assert not search.found("printer").exists(), "who imports does not wait for it"
    assert batch is not None
    enqueue_batch(str(batch.pk))
    assert set(search.found("printer").values_list("run", flat=True)) == set(runs)


@pytest.mark.parametrize(
    "text", ["w" * 3000, "wort " * 40_000, "\U0001f600" * 60_000, " ".join(map(str, range(60_000)))]
)
def test_texts_of_any_length_are_taken(text: str) -> None:
    run = RunFactory(source={"title": "Drill", "text": text}, title="Drill")
    search.keep([run.pk])
    assert search.found("drill").exists()
