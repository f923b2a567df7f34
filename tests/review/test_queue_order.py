"""Which runs come first, for the list and for who claims alike."""

import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation.batches import create_many
from generation.models import JudgeOutcome, Run, Status
from generation.new_run import arm_of, is_sampled
from review import queue
from tests.factories import RunFactory
from tests.review.waiting import waiting_ids

pytestmark = pytest.mark.django_db


def waited(hours: int, **fields: object) -> Run:
    run: Run = RunFactory(**fields)
    Run.objects.filter(pk=run.pk).update(changed_at=Now() - timedelta(hours=hours))
    return run


def offered(person: User) -> list[Run]:
    """All that the queue gives this person, in its order."""
    runs: list[Run] = []
    while claim := queue.claim_next(person, exclude=[run.pk for run in runs]):
        runs.append(claim.run)
    return runs


@pytest.mark.parametrize(
    ("fields", "priority"),
    [
        ({"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": JudgeOutcome.NEEDS_HUMAN_REVIEW}, 0),
        ({"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": JudgeOutcome.UNAVAILABLE}, 0),
        ({"status": Status.NEEDS_HUMAN_REVIEW, "judge_outcome": JudgeOutcome.PASSED}, 0),
        ({"status": Status.FAILED, "judge_outcome": JudgeOutcome.FAILED}, 1),
        ({"status": Status.FAILED, "judge_outcome": JudgeOutcome.PENDING}, 1),
        ({"judge_outcome": JudgeOutcome.FAILED}, 1),
        ({"judge_outcome": JudgeOutcome.UNAVAILABLE}, 1),
        ({"judge_outcome": JudgeOutcome.PASSED, "sampled": True}, 1),
        ({"judge_outcome": JudgeOutcome.CORRECTED, "sampled": True}, 1),
        ({"judge_outcome": JudgeOutcome.PASSED}, 2),
        ({"judge_outcome": JudgeOutcome.CORRECTED}, 2),
        ({"judge_outcome": JudgeOutcome.SKIPPED, "sampled": True}, 2),
        ({"judge_outcome": JudgeOutcome.PENDING}, 2),
        ({"status": Status.NEEDS_HUMAN_REVIEW, "assigned": True}, 3),
    ],
)
def test_a_runs_place_is_read_off_what_became_of_it(fields: dict[str, object], priority: int) -> None:
    assert RunFactory(**fields).priority == priority


def test_escalated_then_failed_and_chosen_then_the_rest_the_oldest_first(mia: User) -> None:
    passed, newer = waited(9), waited(1)
    chosen = waited(3, judge_outcome=JudgeOutcome.PASSED, sampled=True)
    failed = waited(5, status=Status.FAILED, judge_outcome=JudgeOutcome.FAILED)
    help_new = waited(2, status=Status.NEEDS_HUMAN_REVIEW)
    help_old = waited(4, status=Status.NEEDS_HUMAN_REVIEW)
    order = [help_old, help_new, failed, chosen, passed, newer]
    assert waiting_ids() == [run.pk for run in order]
    assert offered(mia) == order


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_share_is_drawn_by_the_id_and_apart_from_the_arm(settings: Settings, share: float) -> None:
    settings.FOLDBACK_REVIEW_SAMPLE = share
    ids = [uuid.UUID(int=n) for n in range(4000)]
    drawn = {run_id for run_id in ids if is_sampled(run_id)}
    assert abs(len(drawn) / 4000 - share) < 0.03
    assert drawn == {run_id for run_id in ids if is_sampled(run_id)}
    both = [run_id for run_id in drawn if arm_of(run_id, Decimal(share)) == "control"]
    assert abs(len(both) / 4000 - share**2) < 0.03


def test_a_new_share_holds_for_runs_made_from_then_on(settings: Settings) -> None:
    bodies = [{"flow": "item", "source": {"title": f"Drill {n}"}} for n in range(5)]
    settings.FOLDBACK_REVIEW_SAMPLE = 1.0
    _batch, before, _bad = create_many(bodies)
    settings.FOLDBACK_REVIEW_SAMPLE = 0.0
    _batch, after, _bad = create_many(bodies)
    assert set(Run.objects.filter(sampled=True).values_list("pk", flat=True)) == set(before)
    assert Run.objects.filter(sampled=False, pk__in=after).count() == 5
