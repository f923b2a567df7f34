"""Lists narrowed by filters: what each finds, page by page, and what they cost."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Batch, Institution, JudgeOutcome, Run, Status
from review import assigning, finding, queue, setting_aside
from review.filters import Filters
from review.finding import Finder
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def wanted(mia: User) -> Run:
    """A run that every filter below finds, beside others that none does."""
    batch, house = Batch.objects.create(name="Autumn"), Institution.objects.create(slug="north", name="North")
    place = SubcategoryFactory(slug="drills")
    run: Run = RunFactory(
        subcategory=place, batch=batch, institution=house, judge_outcome=JudgeOutcome.CORRECTED, round=2,
        created_at=MADE, title="Bohrhammer",
    )  # fmt: skip
    DraftFactory(run=run, content={"name": "Rotary hammer"})
    ReviewEventFactory(run=run, reviewer=mia, decision="revise")
    queue.take(run.pk, mia)
    for _ in range(3):
        other = DraftFactory(run=RunFactory(flow="question", created_at=MADE - timedelta(days=9))).run
        ReviewEventFactory(run=other)
    return run


def ids(filters: Filters, person: User) -> list[UUID]:
    """All pages, two runs each; no run twice."""
    found: list[UUID] = []
    cursor = ""
    while True:
        page = Finder(filters, person).page(2, cursor)
        found += page.ids
        cursor = page.next_cursor
        if not cursor:
            assert len(set(found)) == len(found)
            return found


NARROW = [
    {"flow": "item"},
    {"subcategory": "drills"},
    {"subcategory": "drills", "flow": "item"},
    {"outcome": "corrected"},
    {"institution": "north"},
    {"batch": "BATCH"},
    {"holder": "me"},
    {"holder": "mia", "outcome": "corrected"},
    {"reviewer": "mia"},
    {"reviewer": "me", "text": "rotary"},
    {"after": "2026-03-01"},
    {"after": "2026-03-01T12:00:00", "before": "2026-03-02"},
    {"text": "bohrhammer"},
    {"text": "HAMM", "flow": "item", "batch": "BATCH"},
]
NOTHING = [
    {"flow": "change"},
    {"subcategory": "unknown"},
    {"outcome": "failed"},
    {"institution": "unknown"},
    {"batch": "00000000-0000-0000-0000-000000000000"},
    {"holder": "nobody", "subcategory": "drills"},
    {"holder": "unknown"},
    {"reviewer": "unknown"},
    {"after": "2026-03-01T12:00:01"},
    {"before": "2026-02-01"},
    {"text": "hammer question"},
    {"status": "failed"},
]


@pytest.mark.parametrize("window", [1, 1000])
@pytest.mark.parametrize("view", ["waiting", "all"])
@pytest.mark.parametrize(("given", "finds"), [(one, True) for one in NARROW] + [(one, False) for one in NOTHING])
def test_each_filter_finds_its_runs(
    wanted: Run,
    mia: User,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, str],
    finds: bool,
    view: str,
    window: int,
) -> None:
    """Also where no more than one run is looked at, at a time."""
    monkeypatch.setattr(finding, "WINDOW", window)
    given = {name: str(wanted.batch_id) if value == "BATCH" else value for name, value in given.items()}
    filters = Filters.of(given | {"view": view})
    assert dict(filters.set()) == given
    assert ids(filters, mia) == [wanted.pk] * finds
    count = Finder(filters, mia).count()
    assert (count.number, count.is_least) == (int(finds), False)


def test_every_view_has_its_runs_and_pages_by_key(mia: User) -> None:
    for status in (Status.AWAITING_REVIEW, Status.QUEUED, Status.STOPPED):
        RunFactory.create_batch(5, status=status)
    aside = RunFactory.create_batch(5)
    for run in aside:
        setting_aside.set_aside(run.pk, mia)
    for view, count in {"waiting": 5, "aside": 5, "progress": 5, "failed": 5, "all": 20}.items():
        assert len(ids(Filters(view=view), mia)) == count == Finder(Filters(view=view), mia).count().number
    assert set(ids(Filters(view="aside"), mia)) == {run.pk for run in aside}


def test_what_is_rare_in_a_long_list_is_found_at_once_or_said_to_be_further(
    mia: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "WINDOW", 10)
    monkeypatch.setattr(finding, "COUNT_WINDOW", 20)
    monkeypatch.setattr(finding, "MOST_COUNTED", 5)
    rare = RunFactory(judge_outcome=JudgeOutcome.UNAVAILABLE, created_at=Now() - timedelta(days=1), title="Zither")
    DraftFactory(run=rare)
    for run in RunFactory.create_batch(30):
        DraftFactory(run=run)
    by_word = Finder(Filters(view="all", text="zither"), mia)
    assert by_word.page(3).ids == [rare.pk] and str(by_word.count()) == "1"
    by_outcome = Filters(view="all", outcome="unavailable")
    first = Finder(by_outcome, mia).page(3)
    assert first.ids == [] and first.looked_at == 10 and first.next_cursor
    assert ids(by_outcome, mia) == [rare.pk]
    assert str(Finder(by_outcome, mia).count()) == "0+", "and not 0"
    assert str(Finder(Filters(view="all", outcome="pending"), mia).count()) == "5+"


def test_a_filter_by_holder_knows_who_was_assigned(mia: User) -> None:
    run, tom = RunFactory(), UserFactory(username="tom")
    assigning.assign([run.pk], tom, mia)
    assert ids(Filters(holder="tom"), mia) == [run.pk] and ids(Filters(holder="nobody"), mia) == []


@pytest.mark.parametrize(
    "given",
    [
        {"view": "reviewed", "outcome": "corrected", "reviewer": "me", "text": "rotary"},
        {"view": "all", "status": "awaiting_review"},
        {"text": "rotary", "holder": "me"},
        {"institution": "north", "after": "2026-03-01"},
    ],
)
def test_a_page_costs_the_same_for_ten_and_a_hundred_rows(
    client: Client, mia: User, wanted: Run, given: dict[str, str], me: User
) -> None:
    client.force_login(me)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/queue/", given).status_code == 200
        return len(captured)

    def more(count: int) -> None:
        for _ in range(count):
            run = DraftFactory(
                run=RunFactory(
                    institution=wanted.institution, judge_outcome="corrected", source={"title": "rotary"}
                )
            ).run
            queue.take(run.pk, me)
            ReviewEventFactory(run=run, reviewer=me)

    more(10)
    queries()
    ten = queries()
    more(90)
    assert queries() == ten <= 24


def test_chips_take_filters_off_one_by_one(web: Client, wanted: Run) -> None:
    text = web.get("/queue/", {"outcome": "corrected", "institution": "north", "text": "bohr"}).text
    assert 'aria-label="Judge: corrected. Take this filter off"' in text and "Institution: <strong>North" in text
    assert 'href="/queue/?institution=north&amp;text=bohr"' in text
    assert 'href="/queue/?outcome=corrected&amp;text=bohr"' in text and 'value="bohr"' in text
    assert "1 match" in text and "Bohrhammer" in text


@pytest.mark.parametrize(
    "name", ["view", "status", "batch", "outcome", "after", "before", "holder", "reviewer", "text"]
)
@pytest.mark.parametrize("value", ["a\0", "x" * 3000, "nonsense", "0001-01-01", "٣"])
def test_nonsense_in_the_address_is_answered(web: Client, name: str, value: str) -> None:
    for view in ("waiting", "reviewed", "all"):
        assert web.get("/queue/", {"view": view} | {name: value}).status_code == 200


def test_the_address_is_pushed_without_what_is_empty(web: Client) -> None:
    response: Any = web.get(
        "/queue/?status=&text=a&holder=&view=all", headers={"HX-Request": "true", "HX-Target": "list"}
    )
    assert response["HX-Push-Url"] == "/queue/?view=all&text=a"
