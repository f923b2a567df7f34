"""Lists narrowed by words: the same runs whether the database's statistics know the words or not."""

from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from generation import search
from generation.models import JudgeOutcome, Run, RunText, Status
from review import finding
from review.filters import Filters
from review.finding import Finder, _of_view
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory

pytestmark = pytest.mark.django_db
MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUNS = 40


@pytest.fixture
def history(mia: User) -> list[Run]:
    """Newest last: all have "lamp", every second "brass", every eighth "zither"; made in threes at one
    moment, of which mia reviewed one once and one twice."""
    runs = []
    for number in range(RUNS):
        words = ["lamp", *(["brass"] if number % 2 else []), *(["zither"] if number % 8 == 3 else [])]
        run = RunFactory(
            title=" ".join(words),
            source={"title": f"No {number}"},
            flow="item" if number % 3 else "question",
            status=Status.AWAITING_REVIEW if number % 5 else Status.APPROVED,
            judge_outcome=JudgeOutcome.PASSED if number % 4 else JudgeOutcome.CORRECTED,
            created_at=MADE + timedelta(days=number // 3),
        )
        runs.append(DraftFactory(run=run, content={"name": "Thing"}).run)
        for _round in range(number % 3):
            ReviewEventFactory(run=run, reviewer=mia)
    return runs


def analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE generation_runtext")


def pages(filters: Filters, person: User) -> list[UUID]:
    """The ids of all pages of three, in their order."""
    ids: list[UUID] = []
    cursor = ""
    while True:
        page = Finder(filters, person).page(3, cursor)
        assert len(page.ids) == 3 or page.looked_at or not page.next_cursor, "full, or it says how far it saw"
        ids += page.ids
        if not (cursor := page.next_cursor):
            return ids


@pytest.mark.parametrize("analysed", [True, False])
@pytest.mark.parametrize("sizes", [(1000, 10_000, 5000, 1000), (7, 9, 11, 4)])
def test_words_find_the_runs_that_have_them_in_the_views_order(
    history: list[Run], mia: User, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], analysed: bool
) -> None:
    """Also where each window and each count ends before the history does, and where many runs have the words."""
    for name, size in zip(("WINDOW", "WORDS_WINDOW", "COUNT_WINDOW", "MOST_COUNTED"), sizes, strict=True):
        monkeypatch.setattr(finding, name, size)
    monkeypatch.setattr(finding, "SURELY", 1)
    if analysed:
        analyse()
    narrowings: list[dict[str, str]] = [
        {},
        {"flow": "item"},
        {"outcome": "corrected"},
        {"after": "2026-03-07"},
        {"reviewer": "me"},
    ]
    texts = ["lamp", "lamp brass", "bra", "zither", "zither brass", "lamp unheard"]
    for view, text, narrowed in product(("all", "waiting"), texts, narrowings):
        filters = Filters.of({"view": view, "text": text, **narrowed})
        finder = Finder(filters, mia)
        wanted = _of_view(view).filter(finder.everything).order_by(*finder.order)
        ids = list(wanted.values_list("pk", flat=True))
        assert pages(filters, mia) == ids, filters
        count = finder.count()
        assert count.number <= len(ids) and (count.is_least or count.number == len(ids)), filters
        assert count.number == min(len(ids), sizes[3]) or sizes[0] < RUNS, "one window holds them all"


def test_the_count_of_a_common_word_reads_no_texts(
    history: list[Run], mia: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_COUNTED", 10)
    analyse()
    finder = Finder(Filters(view="all", text="lamp"), mia)
    with CaptureQueriesContext(connection) as queries:
        assert str(finder.count()) == "10+"
    assert len(queries) == 1 and "pg_stats" in queries[0]["sql"]
    assert str(Finder(Filters(view="all", text="zither"), mia).count()) == "5"
    assert str(Finder(Filters(view="all", text="brass"), mia).count()) == "10+", "it is counted"


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("lamp", 40),
        ("LÁMP", 40),
        ("lam", 40),
        ("la", 0),  # too short to be the beginning of a word
        ("brass", 20),
        ("lamp brass", 20),
        ("zither", 5),
        ("brass zither", 0),  # all five have both: that is not told by how many have each
        ("unheard", 0),
        ("lamp unheard", 0),
        ("", 0),
    ],
)
def test_statistics_tell_how_many_runs_have_words_at_least(history: list[Run], text: str, runs: int) -> None:
    analyse()
    assert search.at_least(text) == runs


def test_without_statistics_no_words_are_known(history: list[Run]) -> None:
    assert search.at_least("lamp") == 0


def test_the_words_of_a_run_know_when_it_was_made(history: list[Run]) -> None:
    made = dict(Run.objects.values_list("pk", "created_at"))
    assert dict(RunText.objects.values_list("run_id", "created_at")) == made
