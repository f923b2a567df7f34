"""What is drawn for a run as it is made: its arm and whether its judge is hidden, kept whatever is set later."""

import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import runs
from generation.batches import create_many
from generation.intake import parse
from generation.models import Run
from generation.new_run import arm_of, is_drawn_blind, is_sampled

pytestmark = pytest.mark.django_db
ITEM: dict[str, Any] = {"flow": "item", "source": {"title": "Drill"}}
CHANGE: dict[str, Any] = {"flow": "change", "source": {"instructions": "Mend it."}}


def one(body: dict[str, Any]) -> Run:
    return runs.create(parse(body))


def in_a_batch(body: dict[str, Any]) -> Run:
    _batch, (made,), _bad = create_many([body])
    return Run.objects.get(pk=made)


def drawn(run: Run) -> tuple[str, Decimal, bool, bool]:
    run.refresh_from_db()
    return run.arm, run.holdout_share, run.drawn_blind, run.blind_to_judge


MAKERS: list[Callable[[dict[str, Any]], Run]] = [one, in_a_batch]


@pytest.mark.parametrize("make", MAKERS)
def test_a_run_keeps_what_was_drawn_when_it_was_made(settings: Settings, make: Callable[..., Run]) -> None:
    settings.FOLDBACK_HOLDOUT = settings.FOLDBACK_BLIND_REVIEW = 1.0
    held_out = make(ITEM)
    settings.FOLDBACK_HOLDOUT, settings.FOLDBACK_BLIND_REVIEW = 0.0, 0.0
    plain = make(ITEM)
    runs.cancel(held_out.pk)
    runs.retry(held_out.pk)
    assert drawn(held_out) == ("control", Decimal(1), True, True)
    assert drawn(plain) == ("guided", Decimal(0), False, False)


@pytest.mark.parametrize("share", [0.1, 0.3333333, 0.000001])
def test_the_share_is_kept_to_a_millionth(settings: Settings, share: float) -> None:
    settings.FOLDBACK_HOLDOUT = share
    assert float(one(ITEM).holdout_share) == round(share, 6)
    assert Run.objects.get().holdout_share == Decimal(str(share)).quantize(Decimal("0.000001"))


@pytest.mark.parametrize(
    ("body", "judged"),
    [
        (ITEM, True), (ITEM | {"options": {"review": False}}, False), (CHANGE, False),
        (CHANGE | {"options": {"review": True}}, True),
    ],
)  # fmt: skip
def test_only_judged_runs_are_drawn_blind(settings: Settings, body: dict[str, Any], judged: bool) -> None:
    settings.FOLDBACK_BLIND_REVIEW = 1.0
    assert one(body).drawn_blind is judged


def test_a_record_made_elsewhere_has_no_part_in_it(settings: Settings) -> None:
    settings.FOLDBACK_HOLDOUT = settings.FOLDBACK_BLIND_REVIEW = 1.0
    run = runs.adopt(parse(ITEM), {"name": "Drill"})
    assert drawn(run) == ("guided", Decimal(0), False, False)


def test_the_three_lots_are_apart_from_each_other(settings: Settings) -> None:
    """Of 8,000 ids each combination comes as often as its share says, give or take five standard errors."""
    settings.FOLDBACK_REVIEW_SAMPLE, settings.FOLDBACK_BLIND_REVIEW = 0.3, 0.4
    found = dict.fromkeys([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], 0)
    for number in range(8000):
        run_id = uuid.UUID(int=number)
        arm = arm_of(run_id, Decimal("0.2")) == "control"
        found[int(arm), int(is_sampled(run_id)), int(is_drawn_blind(run_id))] += 1
    for (control, sampled, blind), count in found.items():
        share = (0.2 if control else 0.8) * (0.3 if sampled else 0.7) * (0.4 if blind else 0.6)
        assert abs(count / 8000 - share) < 5 * (share * (1 - share) / 8000) ** 0.5


@pytest.mark.parametrize(
    ("given", "share"),
    [
        ({}, "0.1"),
        ({"FOLDBACK_HOLDOUT": "0"}, "0.0"),
        ({"FOLDBACK_HOLDOUT": "1"}, "0.1"),
        ({"FOLDBACK_HOLDOUT": "0", "FOLDBACK_BLIND_REVIEW": "0.2"}, "0.2"),
    ],
)
def test_unless_asked_for_no_review_is_drawn_blind_where_nothing_is_held_out(
    given: dict[str, str], share: str
) -> None:
    names = ("FOLDBACK_HOLDOUT", "FOLDBACK_BLIND_REVIEW")
    environment = {name: value for name, value in os.environ.items() if name not in names} | given
    asked = "from config import settings; print(settings.FOLDBACK_BLIND_REVIEW)"
    told = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == [share]
