"""A narrowed list is worked through from its first run to its last, and none that is not of it comes between."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Batch, Institution, JudgeOutcome, Run, Status
from review import claiming, finding, queue
from review.claiming import claim_next_of
from review.filters import Filters
from review.models import Claim
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
DESK = {"HX-Request": "true", "HX-Target": "desk"}
MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)
BATCH = UUID("5d4e5b0c-7d6f-4f6e-9d0f-0c3a3a1f2b4c")
_days = count(1)


def waiting(title: str, **given: Any) -> Run:
    """Each waits a day longer than the one before."""
    run: Run = RunFactory(title=title, **given)
    DraftFactory(run=run, content={"name": title})
    Run.objects.filter(pk=run.pk).update(changed_at=Now() - timedelta(days=next(_days)))
    run.refresh_from_db()
    return run


@pytest.fixture
def listed(me: User) -> list[Run]:
    """Two runs that every filter below finds, longest waiting last made; those of others wait longer still."""
    where: dict[str, Any] = {
        "subcategory": SubcategoryFactory(slug="drills"),
        "batch": Batch.objects.create(pk=BATCH, name="Autumn"),
        "institution": Institution.objects.create(slug="north", name="North"),
    }
    runs = [
        waiting(t, judge_outcome=JudgeOutcome.CORRECTED, created_at=MADE, **where) for t in ("Drill B", "Drill A")
    ]
    for run in runs:
        ReviewEventFactory(run=run, reviewer=me, decision="revise")
    for n in range(3):
        waiting(
            f"Other {n}", flow="question", status=Status.NEEDS_HUMAN_REVIEW, created_at=MADE - timedelta(days=9)
        )
    return runs[::-1]


QUERIES = [
    "text=drill",
    "outcome=corrected",
    "institution=north",
    f"batch={BATCH}",
    "status=awaiting_review",
    "reviewer=me",
    "after=2026-03-01",
    "after=2026-03-01&before=2026-03-02&text=drill",
    f"flow=item&subcategory=drills&batch={BATCH}&text=drill",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_list_is_worked_through_from_run_to_run(
    web: Client, listed: list[Run], monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(claiming, "AT_ONCE", 1)
    first, second = listed
    text = web.get(f"/queue/?{query}").text.replace("&amp;", "&")
    carried = text.split('action="/queue/next/?')[1].split('"')[0]
    assert dict(Filters.of(dict(p.split("=") for p in carried.split("&"))).set()) == dict(
        Filters.of(dict(p.split("=") for p in query.split("&"))).set()
    )
    assert ">Review next<" in text and f'/runs/{first.pk}/?{carried}"' in text
    opened = web.post(f"/queue/next/?{carried}")
    assert opened.headers["Location"] == f"/runs/{first.pk}/?{carried}"
    text = web.get(opened.headers["Location"]).text
    assert "1 of 2" in text and f'value="{second.pk}" data-following' in text and "data-previous" not in text
    ahead = web.post(f"/queue/ahead/?{carried}", {"shown": str(first.pk)}, headers=DESK)
    assert f'data-run="{second.pk}"' in ahead.text and "2 of 2" in ahead.text
    done = web.post(
        f"/runs/{first.pk}/review/?{carried}",
        {"decision": "reject", "revision": "1", "ahead": str(second.pk), "stamp": queue.stamp_of(second)},
        headers=DESK,
    )
    assert done.headers["Desk"] == "kept" and "1 of 1" in done.text
    last = web.post(f"/runs/{second.pk}/review/?{carried}", {"decision": "reject", "revision": "1"}, headers=DESK)
    assert last.headers["HX-Redirect"] == f"/queue/?{carried}&done={second.pk}", "and not one of another list"
    after = web.get(last.headers["HX-Redirect"]).text
    assert "Nothing more of this list is free for you at the moment" in after and 'id="notice"' in after


@pytest.mark.parametrize("query", ["holder=me", "view=failed&text=drill", "view=reviewed&text=nothing"])
def test_a_list_that_cannot_be_worked_through_says_so_and_enter_opens_its_first(
    web: Client, listed: list[Run], me: User, query: str
) -> None:
    queue.take(listed[1].pk, me)
    text = web.get(f"/queue/?{query}").text
    assert "Review next of the whole queue" in text and 'action="/queue/next/" data-claims>' in text
    assert ("data-next hidden" in text) == (query == "holder=me")
    if query == "holder=me":
        assert f'<form method="get" action="/runs/{listed[1].pk}/" data-next hidden>' in text


def test_held_by_nobody_is_what_comes_next_anyway(web: Client, listed: list[Run], me: User) -> None:
    queue.take(listed[0].pk, UserFactory())
    text = web.get("/queue/?holder=nobody&text=drill").text
    assert 'action="/queue/next/?text=drill" data-claims data-next>' in text
    assert web.post("/queue/next/?text=drill").headers["Location"] == f"/runs/{listed[1].pk}/?text=drill"


def test_what_others_hold_and_what_is_left_out_is_passed_over(mia: User) -> None:
    runs = [waiting(f"Drill {n}") for n in range(4)][::-1]
    filters = Filters(text="drill")
    queue.take(runs[0].pk, UserFactory())
    found = claim_next_of(mia, filters, exclude=[runs[1].pk])
    assert found and found.run == runs[2]
    again = claim_next_of(mia, filters)
    assert again and again.run == runs[2], "one's own comes first"
    other = claim_next_of(UserFactory(), filters)
    assert other and other.run == runs[1]
    assert len({claim.run_id for claim in Claim.objects.all()}) == 3


@pytest.mark.parametrize(("looks", "finds"), [(4, True), (3, False)])
def test_what_stands_deep_in_the_queue_is_looked_for_so_many_times(
    mia: User, listed: list[Run], monkeypatch: pytest.MonkeyPatch, looks: int, finds: bool
) -> None:
    monkeypatch.setattr(finding, "WINDOW", 1)
    monkeypatch.setattr(claiming, "MOST_LOOKS", looks)
    found = claim_next_of(mia, Filters(outcome="corrected"))
    assert bool(found) == finds and (found is None or found.run == listed[0])


def test_a_place_far_back_in_a_long_list_says_so(
    web: Client, listed: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_COUNTED", 1)
    more = waiting("Drill D"), waiting("Drill C")
    text = web.get(f"/runs/{listed[1].pk}/?text=drill").text
    assert "2+ of 1+" in text and f'value="{more[0].pk}"' not in text and f'value="{listed[0].pk}"' in text


def test_neither_the_claim_nor_the_page_grows_with_the_list(web: Client, me: User) -> None:
    def cost() -> tuple[int, int]:
        runs = [waiting("Drill") for _ in range(2)]
        web.get("/queue/")
        with CaptureQueriesContext(connection) as claimed:
            location = web.post("/queue/next/?text=drill").headers["Location"]
        with CaptureQueriesContext(connection) as shown:
            web.get(location)
        assert str(runs[1].pk) in location
        Claim.objects.all().delete()
        return len(claimed), len(shown)

    first = cost()
    for _ in range(40):
        waiting("Drill")
    assert cost() == first and first[0] <= 12


def test_what_is_taken_back_at_the_end_of_a_list_belongs_to_it_still(web: Client, listed: list[Run]) -> None:
    """The list says that nothing more of it is free; `u` leads back into it, not into the whole queue."""
    web.get(f"/runs/{listed[0].pk}/?text=drill")
    web.post(f"/runs/{listed[0].pk}/review/?text=drill", {"decision": "approve"})
    over = web.post(f"/runs/{listed[1].pk}/review/?text=drill", {"decision": "approve"}, follow=True)
    assert 'action="/queue/undo/?text=drill"' in over.text
    assert 'href="/queue/" autofocus>Show everything that waits' in over.text, "Enter leads on from the end"
    back = web.post("/queue/undo/?text=drill", follow=True)
    assert back.redirect_chain[-1][0] == f"/runs/{listed[1].pk}/?text=drill" and "1 of 1" in back.text
