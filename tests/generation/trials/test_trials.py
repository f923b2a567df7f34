"""A version tried on past runs: made by the loop of runs, kept apart from them, resumed, stopped, paid once."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation import pipeline, runs, tasks
from generation.errors import BadInput
from generation.intake import parse
from generation.models import DailySpend, Run, Subcategory, Trial, TrialCall, TriedRun
from generation.providers.base import ProviderError, Request, Usage
from generation.trials import starting
from generation.trials.past import MOST, candidates, past
from generation.trials.working import work_on
from generation.work import MAX_ATTEMPTS
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import draft_of, go_on, past_runs, tried

pytestmark = pytest.mark.django_db
OWN = {"generation_trial", "generation_triedrun", "generation_trialcall", "generation_dailyspend"}


@contextmanager
def only_own_tables_change() -> Iterator[None]:
    """Every other table of the database holds the same bytes afterwards."""
    before = contents()
    yield
    assert contents() == before


def contents() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        tables = sorted({row[0] for row in cursor.fetchall()} - OWN)
        found = {}
        for table in tables:
            cursor.execute(f'SELECT md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{table}" t')
            found[table] = cursor.fetchone()[0]
    return found


def test_a_past_run_is_made_again_with_the_version(
    scripted: Scripted, subcategory: Subcategory, admin: User
) -> None:
    runs, version = past_runs(subcategory), draft_of()
    scripted.play(extraction=[record(name="one"), record(name="two")], supervisor=["FAIL: the name", "PASS"])
    with only_own_tables_change():
        trial = tried(version, subcategory, runs, admin)
    one = trial.runs.get()
    assert (one.status, one.judge_outcome, one.error, one.stage) == ("awaiting_review", "corrected", None, "")
    assert [draft["content"]["name"] for draft in one.drafts] == ["one", "two"]
    assert [(said["cycle"], said["revision"], said["outcome"]) for said in one.judgements] == [
        (1, 1, "failed"),
        (2, 2, "passed"),
    ]
    assert [request.user.startswith("A new wording.") for request in scripted.of("extraction")] == [True, True]
    assert "the name" in scripted.of("extraction")[1].user
    calls = TrialCall.objects.filter(tried=one)
    assert [call.stage for call in calls] == ["extraction", "supervisor"] * 2
    assert [call.prompt_version == version for call in calls] == [True, False] * 2
    assert (one.input_tokens, one.output_tokens, one.lease) == (400, 40, None) and one.finished_at


def test_a_judge_is_tried_on_the_record_that_people_saw(
    scripted: Scripted, subcategory: Subcategory, admin: User
) -> None:
    scripted.play(extraction=record(name="then"))
    runs, version = past_runs(subcategory), draft_of("supervisor")
    scripted.play(supervisor="FAIL: no source")
    one = tried(version, subcategory, runs, admin).runs.get()
    assert scripted.stages() == ["supervisor"] and "then" in scripted.of("supervisor")[0].user
    assert (one.judge_outcome, one.judgements[0]["outcome"]) == ("needs_human_review", "failed")
    assert len(one.drafts) == 1


@pytest.mark.parametrize("stage", ["extraction", "supervisor"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_killed_worker_is_taken_over_and_nothing_is_paid_for_twice(
    scripted: Scripted, subcategory: Subcategory, admin: User, stage: str, number: int
) -> None:
    runs, version = past_runs(subcategory), draft_of()
    scripted.play(extraction=[record(name=n) for n in "ab"], supervisor=["FAIL: 1", "PASS"])
    seen = 0

    def dies(request: Request) -> None:
        nonlocal seen
        seen += request.stage == stage
        if seen == number and request.stage == stage:
            raise KeyboardInterrupt

    scripted.before = dies
    trial = starting.start(version, subcategory, runs, admin)
    with pytest.raises(KeyboardInterrupt):
        go_on(trial)
    scripted.before = None
    go_on(trial)
    assert trial.runs.get().status != "awaiting_review", "its lease still holds"
    TriedRun.objects.update(lease_expires_at=Now())
    go_on(trial)
    one = trial.runs.get()
    assert (one.status, one.judge_outcome) == ("awaiting_review", "corrected")
    assert [call.stage for call in one.calls.all()] == ["extraction", "supervisor"] * 2
    assert one.input_tokens == 400


def test_a_lost_task_is_found_by_the_sweep(scripted: Scripted, subcategory: Subcategory, admin: User) -> None:
    trial = starting.start(draft_of(), subcategory, past_runs(subcategory), admin)
    assert tasks.sweep_trials() == 0, "its own task may still come"
    TriedRun.objects.update(changed_at="2020-01-01T00:00Z")
    assert tasks.sweep_trials() == 1
    assert tasks.sweep_trials() == 0, "a swept run is left to its task for a while"
    TriedRun.objects.update(lease_expires_at=Now())
    go_on(trial)
    TriedRun.objects.update(changed_at="2020-01-01T00:00Z", lease_expires_at=None)
    assert trial.runs.get().is_over and tasks.sweep_trials() == 0


def test_it_stops_where_somebody_says_so(scripted: Scripted, subcategory: Subcategory, admin: User) -> None:
    trial = starting.start(draft_of(), subcategory, past_runs(subcategory, 2), admin)
    scripted.play()

    def stops(request: Request) -> None:
        starting.stop(trial)

    scripted.before = stops
    go_on(trial)
    assert [one.status for one in trial.runs.all()] == ["stopped", "stopped"]
    assert scripted.stages() == ["extraction"] and TrialCall.objects.count() == 1  # what was paid for is kept
    trial.refresh_from_db()
    assert trial.stopped_at is not None and starting.stop(trial) == 0


def test_its_calls_count_in_the_day_s_cap_and_wait_for_the_next_day(
    scripted: Scripted, subcategory: Subcategory, admin: User, settings: Settings
) -> None:
    runs = past_runs(subcategory)
    settings.PRICES_USD = {"scripted": ("10", "0", "0", "0")}  # 100 tokens: a thousandth of a dollar
    trial = tried(draft_of(), subcategory, runs, admin)
    assert DailySpend.objects.get().cost_usd == trial.runs.get().cost_usd == Decimal("0.002")
    settings.FOLDBACK_SPEND_CAP_USD = Decimal("0.001")
    one = tried(draft_of(text="More."), subcategory, runs, admin).runs.get()
    assert (one.status, one.error and one.error["code"]) == ("queued", "spend_cap")
    assert one.next_attempt_at is not None and not one.calls.exists()


def test_a_passing_error_waits_and_the_last_one_ends_it(
    scripted: Scripted, subcategory: Subcategory, admin: User
) -> None:
    runs, version = past_runs(subcategory), draft_of()
    scripted.play(extraction=ProviderError("overloaded", "busy", retryable=True, usage=Usage(7)))
    trial = tried(version, subcategory, runs, admin)
    one = trial.runs.get()
    assert (one.status, one.attempts, one.input_tokens) == ("queued", 1, 7)
    TriedRun.objects.update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=None)
    work_on(one.pk)
    one.refresh_from_db()
    assert (one.status, one.error and one.error["code"]) == ("failed", "overloaded")


def test_the_categorizer_is_asked_again_only_where_it_is_tried(
    scripted: Scripted, subcategory: Subcategory, admin: User
) -> None:
    scripted.play(categorizer=f'{{"subcategory": "{subcategory.slug}"}}')
    run = past_runs(subcategory)[0]
    given = tried(draft_of("categorizer"), subcategory, [run], admin)
    assert "categorizer" not in [call.stage for call in given.runs.get().calls.all()], "the caller gave it"
    found = past_of_categorizer(scripted, subcategory)
    scripted.play(categorizer=f'{{"subcategory": "{subcategory.slug}"}}')
    tried(draft_of("extraction"), subcategory, [found], admin)
    assert scripted.stages() == ["extraction", "supervisor"]
    version = draft_of("categorizer", "Other.")
    with only_own_tables_change():
        tried(version, subcategory, [found], admin)
    assert scripted.stages()[2:] == ["categorizer", "extraction", "supervisor"]


def past_of_categorizer(scripted: Scripted, subcategory: Subcategory) -> Run:
    run = runs.create(parse({"flow": "item", "source": {"title": "Makita DHP484"}}))
    pipeline.generate(run.pk)
    run.refresh_from_db()
    assert run.subcategory == subcategory
    return run


@pytest.mark.parametrize("number", [0, MOST + 1])
def test_so_many_runs_and_no_more(scripted: Scripted, subcategory: Subcategory, admin: User, number: int) -> None:
    with pytest.raises(BadInput, match="one run at least"):
        starting.start(draft_of(), subcategory, past_runs(subcategory) * number, admin)
    assert not Trial.objects.exists()


def test_candidates_are_the_reviewed_ones_then_the_newest(scripted: Scripted, subcategory: Subcategory) -> None:
    first, second, third = past_runs(subcategory, 3)
    Run.objects.filter(pk=first.pk).update(last_reviewed_at=Now(), last_review_event_id=1)
    assert candidates("item", subcategory) == [first, third, second]
    assert candidates("item", subcategory, 2) == [first, third]
    assert candidates("question", subcategory) == []


def test_what_it_will_cost_is_what_the_runs_took_at_todays_prices(
    scripted: Scripted, subcategory: Subcategory, settings: Settings
) -> None:
    runs = past_runs(subcategory, 2)
    assert {run_id: made.sums.input_tokens for run_id, made in past(r.pk for r in runs).items()} == dict.fromkeys(
        [run.pk for run in runs], 200
    )
    settings.FOLDBACK_PROVIDER, settings.FOLDBACK_MODEL = "anthropic", "dear"
    settings.PRICES_USD = {"dear": ("10", "0", "0", "0"), "cheap": ("1", "0", "0", "0")}
    version = draft_of()
    found = starting.estimate(version, runs)
    assert (found.usd[runs[0].pk], found.total) == (Decimal("0.002"), Decimal("0.004"))
    version.model = "cheap"
    assert starting.estimate(version, runs).total == Decimal("0.0022")
    assert starting.estimate(draft_of("supervisor"), runs).total == Decimal("0.002")
    settings.FOLDBACK_PROVIDER = "demo"
    assert starting.estimate(version, runs).total == 0
