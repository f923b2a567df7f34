"""Caps hold before anything is sent, by what it may cost, and after, by what it cost."""

from decimal import Decimal

import pytest
from pytest_django.fixtures import Settings

from generation import spend
from generation.batches import create_many
from generation.deferring.collecting import collect
from generation.deferring.reserving import UNKNOWN_OUTPUT, Account
from generation.deferring.sending import send
from generation.models import Batch, DailySpend, DeferredCall, Run
from tests.batches_api import BatchesApi
from tests.factories import SubcategoryFactory
from tests.generation.deferring.conftest import economical, exchanged, good, worked

pytestmark = pytest.mark.django_db
HELD, COST = Decimal("0.04096"), Decimal("0.001")  # of an answer of unknown length, and of one of 100 tokens


@pytest.fixture(autouse=True)
def _prices(settings: Settings) -> None:
    """Only what is answered costs."""
    settings.PRICES_USD, settings.SEARCH_PRICE_USD = {"claude-sonnet-5-5": ("0", "20", "0", "0")}, "0"


def made_in(cap: Decimal | None, count: int = 3) -> tuple[Batch, list[Run]]:
    slug = SubcategoryFactory().slug
    bodies = [
        {"flow": "item", "subcategory": slug, "source": {"title": f"Drill {n}"}, "options": {"economy": True}}
        for n in range(count)
    ]
    batch, ids, bad = create_many(bodies, spend_cap_usd=cap)
    assert batch is not None and not bad
    runs = [Run.objects.get(pk=pk) for pk in ids]
    worked(*runs)
    return batch, runs


def test_what_an_answer_may_cost_is_held_until_it_is_there(batches: BatchesApi) -> None:
    assert UNKNOWN_OUTPUT == 4096
    batch, _runs = made_in(2 * HELD)
    assert send() == 2 and send() == 0
    assert [row.reserved_usd for row in DeferredCall.objects.filter(state="sent")] == [HELD, HELD]
    batches.end(good)
    assert collect() == 2
    batch.refresh_from_db()
    assert batch.cost_usd == 2 * COST == DailySpend.objects.get().cost_usd
    assert send() == 1  # what was held and not used is there again
    assert DeferredCall.objects.get(state="sent").reserved_usd == COST  # by now it is known how long they get


def test_the_cap_of_the_day_holds_for_all(batches: BatchesApi, settings: Settings) -> None:
    settings.FOLDBACK_SPEND_CAP_USD = 2 * HELD
    made_in(None, 2)
    worked(economical())
    assert send() == 2
    batches.end(good)
    collect()
    exchanged(batches)
    assert DeferredCall.objects.count() == 0 and DailySpend.objects.get().cost_usd == 3 * COST


def test_a_batch_without_money_holds_nobody_else_up(batches: BatchesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.deferring.sending.MOST", 2)
    made_in(HELD, 4)
    _batch, others = made_in(None, 3)
    assert send() == 1 + 3
    sent = DeferredCall.objects.filter(state="sent")
    assert set(sent.values_list("run", flat=True)) > {run.pk for run in others}


def test_raising_the_cap_sends_the_rest(batches: BatchesApi) -> None:
    batch, _runs = made_in(HELD)
    assert send() == 1
    spend.set_batch_cap(batch.pk, Decimal(1))
    assert send() == 2


def test_a_cap_that_is_reached_while_runs_wait_holds_them(batches: BatchesApi) -> None:
    batch, runs = made_in(COST)
    exchanged(batches)
    worked(*runs)
    assert sum(run.error is not None and run.error["code"] == spend.BATCH_CAP for run in runs) == 1
    assert send() == 0 and DeferredCall.objects.filter(state="waiting").count() == 2
    spend.set_batch_cap(batch.pk, None)
    exchanged(batches)
    worked(*runs)
    assert {run.revision for run in runs} == {1}


@pytest.mark.parametrize(
    ("cap", "spent", "held", "amount", "takes"),
    [
        (None, 99, 99, 99, True),
        (10, 4, 4, 2, True),
        (10, 4, 4, 3, False),
        (10, 9, 0, 5, True),  # one at a time, as at once
        (10, 9, 1, 5, False),
        (10, 10, 0, 1, False),
        (10, 11, 0, 0, False),
    ],
)
def test_an_account(cap: int | None, spent: int, held: int, amount: int, takes: bool) -> None:
    account = Account(None if cap is None else Decimal(cap), Decimal(spent), Decimal(held))
    assert account.takes(Decimal(amount)) is takes


@pytest.mark.parametrize(
    ("limit", "value", "sizes"), [("MOST", 2, [2, 2, 1]), ("LARGEST", 1, [1] * 5), ("AT_ONCE", 1, [5])]
)
def test_no_batch_is_too_large(
    batches: BatchesApi, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(f"generation.deferring.sending.{limit}", value)
    made_in(None, 5)
    assert send() == 5
    assert [len(one.requests) for one in batches.kept] == sizes
