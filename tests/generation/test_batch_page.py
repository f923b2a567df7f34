"""The page of a batch: its runs by status, what runs now, what went wrong, its money, and when it stops asking."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from generation import progress
from generation.models import Batch, Run, Status
from generation.pages import batch_page
from tests import people
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db
LIMITED = {"code": "rate_limited", "detail": "HTTP 429"}


@pytest.fixture
def batch() -> Batch:
    return Batch.objects.create(name="Autumn catalogue")


@pytest.fixture
def web() -> Client:
    return people.reviewer()


def make(batch: Batch, status: str, count: int = 1, **given: Any) -> list[Run]:
    runs: list[Run] = RunFactory.create_batch(count, batch=batch, status=status, **given)
    return runs


def test_one_bar_shows_all_runs_by_status(batch: Batch) -> None:
    make(batch, Status.APPROVED, 2)
    make(batch, Status.FAILED, 1)
    make(batch, Status.GENERATING, 1)
    page = batch_page(batch)
    assert [(share.status, share.kind, share.start, share.width) for share in page.shares] == [
        ("approved", "passed", 0, 50),
        ("failed", "failed", 50, 25),
        ("generating", "machine", 75, 25),
    ]
    assert (page.total, page.made, page.open, page.has_failed, page.is_over) == (4, 3, 1, True, False)


def test_one_without_a_name_is_called_by_its_time(web: Client) -> None:
    made = Batch.objects.create(created_at=datetime(2026, 11, 22, 16, 38, tzinfo=UTC))
    make(made, Status.APPROVED)
    page = web.get(f"/batches/{made.pk}/").content.decode()
    assert "<h1>Batch of 22 November, 16:38</h1>" in page and "<title>Batch of 22 November, 16:38" in page
    assert '<span class="flow">Item</span>' in page


def test_what_went_wrong_is_told_by_reason_the_most_frequent_first(batch: Batch) -> None:
    make(batch, Status.FAILED, 2, error={"code": "refused", "detail": "no"})
    make(batch, Status.FAILED, 3, error={"code": "unauthorized", "detail": "HTTP 401"})
    make(batch, Status.STOPPED, 1, error={"code": "cancelled", "detail": "cancelled by a person"})
    make(batch, Status.QUEUED, 4, error=LIMITED)
    make(batch, Status.QUEUED, 1)
    make(batch, Status.GENERATING, 1, error=LIMITED)  # it got over that
    make(batch, Status.NEEDS_HUMAN_REVIEW, 1, error={"code": "fixes_exhausted", "detail": ""})
    assert [(trouble.status, trouble.count, trouble.words) for trouble in batch_page(batch).troubles] == [
        ("failed", 3, "The provider does not accept the key or the account"),
        ("failed", 2, "The provider refused to answer"),
        ("stopped", 1, "Cancelled by a person"),
        ("queued", 4, "The provider limits how much it may be asked"),
    ]


def test_what_runs_now_is_shown_with_its_stage(batch: Batch) -> None:
    (fixing,) = make(batch, Status.FIXING, started_at=timezone.now())
    (begun,) = make(batch, Status.GENERATING, started_at=None)
    make(batch, Status.QUEUED)
    for node, badge, attempt in (("extraction", "", 1), ("supervisor", "REVIEW", 1), ("extraction", "FIX", 2)):
        progress.entered(fixing.id, node, badge=badge, round=1, attempt=attempt)
    progress.completed(fixing.id, "extraction", badge="FIX", round=1, attempt=2)
    page = batch_page(batch)
    assert {(work.run.pk, work.stage, work.badge, work.attempt) for work in page.working} == {
        (fixing.pk, "Extraction", "FIX", 2),
        (begun.pk, "", "", 1),
    }
    assert page.working_total == 2


def test_many_that_run_at_once_are_counted_and_a_few_are_shown(batch: Batch) -> None:
    make(batch, Status.GENERATING, 20)
    page = batch_page(batch)
    assert (len(page.working), page.working_total) == (8, 20)


@pytest.mark.parametrize(
    ("cap", "cost", "spent"), [(None, "3", 0), ("10", "0", 0), ("10", "2.5", 25), ("10", "12", 100)]
)
def test_money_against_its_cap(batch: Batch, cap: str | None, cost: str, spent: int) -> None:
    Batch.objects.update(spend_cap_usd=cap, cost_usd=cost)
    batch.refresh_from_db()
    assert batch_page(batch).spent == spent


@pytest.mark.parametrize(
    ("cap", "cost", "told"),
    [(None, "0.00022", "$0.00022"), ("12.5", "1.221", "$1.22 of $12.50"), ("12.5", "0", "$0.00 of $12.50")],
)
def test_money_is_told_to_the_cent_from_a_dollar_on(batch: Batch, cap: str | None, cost: str, told: str) -> None:
    Batch.objects.update(spend_cap_usd=cap, cost_usd=cost)
    batch.refresh_from_db()
    assert batch_page(batch).money == told


@pytest.mark.parametrize("rows", [10, 100])
def test_it_costs_the_same_however_many_runs(
    batch: Batch, web: Client, rows: int, django_assert_num_queries: Any
) -> None:
    make(batch, Status.AWAITING_REVIEW, rows // 2)
    for run in make(batch, Status.GENERATING, rows // 4, started_at=timezone.now()):
        progress.entered(run.id, "extraction", badge="", round=1, attempt=1)
    make(batch, Status.FAILED, rows // 4, error=LIMITED)
    with django_assert_num_queries(5):
        batch_page(batch)
    web.get(f"/batches/{batch.pk}/")
    with django_assert_num_queries(11):  # with session, person, rights and the queue's count
        web.get(f"/batches/{batch.pk}/")


def titles(text: str) -> list[str]:
    return re.findall(r'<a class="what"[^>]*>([^<]*)</a>', text)


def test_it_is_read_page_by_page_and_by_status(batch: Batch, web: Client) -> None:
    make(batch, Status.APPROVED, 130)
    make(batch, Status.FAILED, 5)
    by_id = batch.runs.order_by("pk")
    everything = list(by_id.values_list("title", flat=True))
    made, failed = (list(by_id.filter(status=s).values_list("title", flat=True)) for s in ("approved", "failed"))
    first = web.get(f"/batches/{batch.pk}/").text
    (more,) = re.findall(r'rel="next" href="([^"]*)"', first)
    second = web.get(f"/batches/{batch.pk}/{more}").text
    assert titles(first) + titles(second) == everything and len(titles(first)) == 100
    assert titles(web.get(f"/batches/{batch.pk}/?status=failed").text) == failed
    first = web.get(f"/batches/{batch.pk}/?status=approved").text
    (more,) = re.findall(r'rel="next" href="([^"]*)"', first)
    assert titles(web.get(f"/batches/{batch.pk}/{more.replace('&amp;', '&')}").text) == made[100:]
    for nonsense in ("?status=x", "?after=x"):
        assert web.get(f"/batches/{batch.pk}/{nonsense}").status_code == 404


def test_it_asks_again_until_it_is_over(batch: Batch, web: Client) -> None:
    make(batch, Status.QUEUED)
    page = web.get(f"/batches/{batch.pk}/?status=queued").text
    assert f'hx-get="/batches/{batch.pk}/?status=queued" hx-trigger="every 2s"' in page
    assert ">Refresh</a></noscript>" in page
    Run.objects.update(status=Status.AWAITING_REVIEW)
    fragment = web.get(f"/batches/{batch.pk}/", headers={"HX-Request": "true"}).text
    assert fragment.lstrip().startswith('<div id="batch">')
    assert "hx-trigger" not in fragment and "All runs are generated." in fragment


def test_what_a_run_cost_is_not_told_before_its_review(batch: Batch, web: Client) -> None:
    make(batch, Status.AWAITING_REVIEW, cost_usd="0.0342")
    assert "0.0342" not in web.get(f"/batches/{batch.pk}/").text
    assert "0.0342" in people.admin().get(f"/batches/{batch.pk}/").text
    Run.objects.update(status=Status.APPROVED)
    assert "0.0342" in web.get(f"/batches/{batch.pk}/").text
