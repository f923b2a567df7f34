"""The window reads the right runs, each once, from what people said and nobody took back."""

from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone
from structlog.testing import capture_logs

from generation.models import Run
from learning.models import FieldSynonym
from learning.names import key_of, merged
from learning.rules import Rules
from learning.window import window, windows
from review import recording
from review.models import ReviewEvent
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, many, reviewed, said, summarise, taken_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def subcategory() -> Any:
    return SubcategoryFactory()


def read(subcategory: Any) -> Any:
    return window("item", subcategory.pk)


def test_empty_without_reviews_and_without_subcategory(subcategory: Any) -> None:
    RunFactory(subcategory=subcategory)
    RunFactory(subcategory=None)
    assert read(subcategory).runs == ()
    assert window("item", None).runs == ()


@pytest.mark.parametrize("count", [1, 9, 10, 11, 12])
def test_the_last_ten_reviewed_oldest_first(subcategory: Any, count: int) -> None:
    runs = history(subcategory, [[{}]] * count)
    assert [run.run_id for run in read(subcategory).runs] == [run.pk for run in runs][-10:]


def test_order_is_that_of_the_last_review_not_of_the_making(subcategory: Any) -> None:
    early, late = history(subcategory, [[{}], [{}]])
    said(early, decision="approve")
    assert [run.run_id for run in read(subcategory).runs] == [late.pk, early.pk]


def test_the_ten_are_those_reviewed_last_and_not_those_made_last(subcategory: Any) -> None:
    runs = history(subcategory, [[{}]] * 12)
    said(runs[0], decision="approve")
    assert [run.run_id for run in read(subcategory).runs] == [run.pk for run in [*runs[3:], runs[0]]]


def test_reviews_of_one_moment_go_by_their_event(subcategory: Any) -> None:
    now = timezone.now()
    runs = RunFactory.create_batch(12, subcategory=subcategory)[::-1]  # reviewed in another order than made
    for run in runs:
        said(run, created_at=now)
    assert [run.run_id for run in read(subcategory).runs] == [run.pk for run in runs][2:]


def test_a_flag_of_a_rejected_revision_counts_although_the_last_was_accepted(subcategory: Any) -> None:
    run = reviewed(
        subcategory, {"decision": "reject", "bad_format": True}, {"decision": "approve", "bad_format": False}
    )
    [read_run] = read(subcategory).runs
    flagged = run.review_events.get(decision="reject")
    assert read_run.flags["bad_format"] is True
    assert read_run.evidence["bad_format"] == (flagged.pk,)
    assert (read_run.decision, read_run.last_decision) == ("reject", "approve")


def test_each_flag_is_yes_no_or_unset(subcategory: Any) -> None:
    reviewed(subcategory, {"bad_format": False, "wrong_information": True, "information_present": False})
    [run] = read(subcategory).runs
    assert run.flags == {
        "bad_format": False,
        "wrong_information": True,
        "wrong_physical_dimensions": None,
        "information_present": False,
        "information_present_low": True,
        "missing_spec": None,
    }


def test_a_review_without_any_signal_is_a_reviewed_run(subcategory: Any) -> None:
    reviewed(subcategory, {})
    [run] = read(subcategory).runs
    assert set(run.flags.values()) == {None}


@pytest.mark.parametrize("kind", ["undone", "left_out"])
def test_what_was_taken_back_does_not_count(subcategory: Any, kind: str) -> None:
    run = reviewed(subcategory, {"bad_format": True}, {"wrong_information": True})
    taken_back(run.review_events.get(bad_format=True), kind)
    [read_run] = read(subcategory).runs
    assert (read_run.flags["bad_format"], read_run.flags["wrong_information"]) == (None, True)
    taken_back(run.review_events.get(wrong_information=True), kind)
    assert read(subcategory).runs == ()


def test_machines_teach_nothing(subcategory: Any) -> None:
    machine = reviewed(
        subcategory, {"source": "machine", "reviewer": None, "service": "judge", "bad_format": True}
    )
    assert read(subcategory).runs == ()
    said(machine, bad_format=False)
    [run] = read(subcategory).runs
    assert run.flags["bad_format"] is False


def test_a_summary_that_lags_behind_the_events_shows_no_run(subcategory: Any) -> None:
    run = reviewed(subcategory, {"bad_format": True})
    event = run.review_events.get()
    ReviewEventFactory(run=run, sequence=9, kind="undone", undoes=event, decision="")
    assert read(subcategory).runs == ()


def test_a_corrected_subcategory_moves_the_run(subcategory: Any) -> None:
    wrong = SubcategoryFactory()
    run = DraftFactory(run__subcategory=wrong).run
    fields = recording.Fields(decision="approve", bad_format=True, subcategory=subcategory)
    recording.submit(run.pk, fields, reviewer=UserFactory())
    assert read(wrong).runs == ()
    assert [r.run_id for r in read(subcategory).runs] == [run.pk]


def test_other_flows_and_subcategories_stay_out(subcategory: Any) -> None:
    reviewed(SubcategoryFactory(), {"bad_format": True})
    reviewed(subcategory, {"bad_format": True}, flow="editorial")
    assert read(subcategory).runs == ()


def test_an_unreadable_review_counts_with_no_signal_and_a_warning(subcategory: Any) -> None:
    run = reviewed(subcategory, {"wrong_information": True})
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO review_reviewevent (run_id, round, sequence, kind, reviewer_id, service, source, blind,
                                            decision, corrections, notes, bad_format, missing_spec)
            SELECT run_id, 1, 2, 'submitted', reviewer_id, '', 'person', false,
                   'revise', '{}', '', true, ARRAY[['a', 'b'], ['c', 'd']]
            FROM review_reviewevent WHERE run_id = %s
            """,
            [run.pk],
        )
    summarise(run)
    with capture_logs() as logs:
        [read_run] = read(subcategory).runs
    assert (read_run.flags["bad_format"], read_run.flags["wrong_information"]) == (None, True)
    assert len(read_run.events) == 2
    assert [(log["event"], log["log_level"]) for log in logs] == [("review_event_unreadable", "warning")]


def test_missing_names_meet_in_case_spacing_language_and_synonyms(subcategory: Any) -> None:
    FieldSynonym.objects.create(flow="item", name="Torque", canonical="Max. torque")
    FieldSynonym.objects.create(flow="editorial", name="Chuck", canonical="Torque")
    run = reviewed(
        subcategory,
        {"missing_spec": ["Größe", "torque", "Chuck"]},
        {"missing_spec": ["size", "max torque", "no-load  speed"]},
        {"missing_spec": ["NO-LOAD SPEED", "Gewicht"]},
    )
    first, second, third = run.review_events.values_list("pk", flat=True)
    [read_run] = read(subcategory).runs
    assert [(missing.key, missing.names, missing.evidence) for missing in read_run.missing] == [
        ("dimensions", ("Größe", "size"), (first, second)),
        ("maxtorque", ("torque", "max torque"), (first, second)),
        ("chuck", ("Chuck",), (first,)),
        ("noloadspeed", ("no-load  speed", "NO-LOAD SPEED"), (second, third)),
        ("weight", ("Gewicht",), (third,)),
    ]


def test_two_spellings_of_one_merged_name_count_as_one_however_they_were_read() -> None:
    rows = {"Max load": "torque", "max-load": "chuck"}
    assert key_of("maxload", merged("item", rows)) == key_of(
        "maxload", merged("item", dict(reversed(rows.items())))
    )


@pytest.mark.parametrize(("runs", "events"), [(1, 1), (10, 1), (30, 1), (10, 10)])
def test_two_queries_however_long_the_history(
    subcategory: Any, runs: int, events: int, django_assert_num_queries: Any
) -> None:
    many(subcategory, runs, events)
    with django_assert_num_queries(2):
        found = read(subcategory)
    assert found.reviewed == min(runs, 10)
    with django_assert_num_queries(1):
        window("item", subcategory.pk, Rules())


def test_many_windows_cost_as_much_as_one(django_assert_num_queries: Any) -> None:
    subcategories = SubcategoryFactory.create_batch(12)
    history(subcategories[0], [[{"bad_format": True}]] * 3)
    history(subcategories[7], [[{}]])
    with django_assert_num_queries(2):
        found = windows("item", [subcategory.pk for subcategory in subcategories])
    assert [found[subcategory.pk].reviewed for subcategory in subcategories] == [
        3,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        0,
    ]


def test_the_window_walks_its_index(subcategory: Any) -> None:
    many(subcategory, 300, 1)
    for other in SubcategoryFactory.create_batch(3):
        many(other, 300, 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE generation_run")
    plan = str(
        Run.objects.reviewed()
        .filter(flow="item", subcategory=subcategory)
        .order_by("-last_reviewed_at", "-last_review_event_id")[:10]
        .explain()
    )
    assert "run_window" in plan
    assert "Sort" not in plan


def test_runs_as_callers_see_them(subcategory: Any) -> None:
    with time_machine.travel("2026-01-02T03:04:05Z", tick=False):
        run = reviewed(subcategory, {"decision": "revise", "bad_format": True, "created_at": timezone.now()})
    event = ReviewEvent.objects.get()
    [read_run] = read(subcategory).runs
    assert read_run.as_json() == {
        "id": str(run.pk),
        "reviewed_at": "2026-01-02T03:04:05Z",
        "decision": "revise",
        "last_decision": "revise",
        "reviewer": event.reviewer and event.reviewer.get_username(),
        "signals": {
            "bad_format": True,
            "wrong_information": None,
            "wrong_physical_dimensions": None,
            "information_present_low": None,
            "information_present": None,
            "missing_spec": None,
        },
        "missing_spec": [],
        "evidence": {"bad_format": [event.pk]},
        "events": [event.pk],
    }
