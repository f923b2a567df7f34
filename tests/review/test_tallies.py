"""The tallies always say what a count of everything would say."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from generation.models import Run, Status
from generation.models.run import WITH_RECORD
from learning.acceptance import ACCEPTED, first_reviews
from learning.window import RAISED_BY
from review import tallies
from review.models import ReviewEvent, Tally
from tests.factories import RunFactory, SubcategoryFactory
from tests.learning.histories import said, taken_back

pytestmark = pytest.mark.django_db

Counts = dict[tuple[Any, ...], int]


def tallied() -> Counts:
    rows = Tally.objects.order_by().values_list("flow", "subcategory_id", "day", "what")
    counts: Counts = {}
    for *key, change in rows.values_list("flow", "subcategory_id", "day", "what", "change"):
        counts[tuple(key)] = counts.get(tuple(key), 0) + change
    return {key: count for key, count in counts.items() if count}


def counted() -> Counts:
    """By reading everything, in other words than those of the database's functions."""
    counts: Counts = {}
    stages = {
        "waiting": Run.objects.up_for_review(),
        "progress": Run.objects.in_progress(),
        "set_aside": Run.objects.aside().filter(WITH_RECORD),
        "without_record": Run.objects.filter(Q(status=Status.FAILED, revision=0) | Q(status=Status.STOPPED)),
    }
    for name, runs in stages.items():
        _add(counts, runs.order_by().values_list("flow", "subcategory").annotate(Count("pk")), name)
    by_status = Run.objects.order_by().values_list("flow", "subcategory", "status").annotate(Count("pk"))
    counts |= {(flow, part, None, f"is {status}"): count for flow, part, status, count in by_status}
    raised = {flag: Q(**{signal: by}) for flag, (signal, by) in RAISED_BY.items()}
    raised["missing_spec"] = Q(missing_spec__len__gt=0)
    counting = ReviewEvent.objects.counting().order_by().values_list("run__flow", "run__subcategory")
    _add(counts, counting.annotate(Count("pk")), "reviews")
    for name, which in {"runs": Q(), **raised}.items():
        _add(counts, counting.filter(which).annotate(Count("run", distinct=True)), name)
    for name, events in {"first": first_reviews(), "accepted": first_reviews().filter(ACCEPTED)}.items():
        _add(counts, events.order_by().values_list("run__flow", "run__subcategory").annotate(Count("pk")), name)
    standing = ReviewEvent.objects.standing().filter(source="person")
    days = {
        "first": first_reviews(),
        "accepted": first_reviews().filter(ACCEPTED),
        "reviewed": standing,
    }
    for name, events in days.items():
        by_day = events.annotate(day=TruncDate("created_at")).order_by().values_list("run__flow", "day")
        counts |= {(flow, None, day, name): count for flow, day, count in by_day.annotate(Count("pk"))}
    made = Run.objects.annotate(day=TruncDate("created_at")).order_by().values_list("flow", "day")
    return counts | {(flow, None, day, "created"): count for flow, day, count in made.annotate(Count("pk"))}


def _add(counts: Counts, rows: Any, name: str) -> None:
    counts |= {(flow, subcategory, None, name): count for flow, subcategory, count in rows}


def anything(chance: random.Random) -> dict[str, Any]:
    """A review as any person might write it, at any time of the last days."""
    signals = ("information_present", "bad_format", "wrong_information", "wrong_physical_dimensions")
    return {
        "decision": chance.choice(["approve", "approve", "revise", "reject"]),
        "corrections": chance.choice([{}, {}, {"subcategory": {"from": "a", "to": "b"}}]),
        "missing_spec": chance.choice([[], ["weight"], ["weight", "voltage"]]),
        "source": chance.choice(["person", "person", "person", "machine"]),
        "created_at": timezone.now() - timedelta(hours=chance.randrange(100)),
    } | {signal: chance.choice([None, True, False]) for signal in signals}


@pytest.mark.parametrize("seed", range(8))
def test_random_histories_are_counted_as_a_full_count_would(seed: int) -> None:
    chance = random.Random(seed)
    places = [None, *(SubcategoryFactory() for _ in range(3))]
    runs = [RunFactory(subcategory=chance.choice(places)) for _ in range(8)]
    for _ in range(80):
        run = chance.choice(runs)
        match chance.randrange(7):
            case 0 | 1 | 2:
                said(run, **anything(chance))
            case 3:
                if back := ReviewEvent.objects.filter(kind="submitted", undone_by=None).order_by("?").first():
                    taken_back(back, chance.choice(["undone", "left_out"]))
            case 4:
                Run.objects.filter(pk=run.pk).update(subcategory=chance.choice(places))
            case 5:
                status, revision = chance.choice(Status.values), chance.randrange(2)
                Run.objects.filter(pk=run.pk).update(status=status, revision=revision)
            case 6:
                Run.objects.filter(pk=run.pk).update(set_aside=chance.choice([True, False]))
        if not chance.randrange(20):
            tallies.fold()
    assert tallied() == counted()
    tallies.fold()
    assert tallied() == counted() and Tally.objects.count() == len(counted())
    tallies.rebuild()
    assert tallied() == counted()


def test_many_rows_in_one_statement_count_each() -> None:
    run = RunFactory()
    reviewer = said(run, bad_format=True).reviewer
    ReviewEvent.objects.bulk_create(
        ReviewEvent(run=run, sequence=n, reviewer=reviewer, decision="approve", wrong_information=True)
        for n in range(2, 6)
    )
    Run.objects.bulk_create(RunFactory.build_batch(3, subcategory=run.subcategory, status=Status.QUEUED))
    assert tallied() == counted()
    assert Tally.objects.total("reviews") == 5 and Tally.objects.total("progress") == 3


def test_a_review_that_is_rolled_back_was_never_counted() -> None:
    from django.db import transaction

    before = tallied()
    with transaction.atomic():
        said(RunFactory(subcategory=None))
        transaction.set_rollback(True)
    assert tallied() == before


def test_the_command_counts_what_went_in_past_the_triggers() -> None:
    run = RunFactory()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        said(run, bad_format=True)
        RunFactory(subcategory=run.subcategory)
        cursor.execute("SET LOCAL session_replication_role = origin")
    assert tallied() != counted()
    call_command("rebuild_tallies", stdout=None)
    assert tallied() == counted()
