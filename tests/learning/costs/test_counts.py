"""What records cost: counted from calls of runs that are over, whatever happens to the run afterwards."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User

from generation import forgetting, pipeline, runs
from generation.errors import Conflict
from generation.models import Call, Injection, Run, Status, Subcategory
from generation.providers.base import ProviderError
from learning import facts, guidance
from learning.costs import counts
from learning.models import Cost, CostFact, Due
from learning.models.cost import ALL_TIME
from review import recording
from review.models import Claim
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.scripted import Scripted
from tests.generation.trials.conftest import past_runs
from tests.learning.studio.conftest import scripted, subcategory
from tests.review.panels import waiting

__all__ = ["scripted", "subcategory"]  # fixtures
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def prices(settings: Any) -> None:
    settings.PRICES_USD = {"scripted": ("10", "100", "0", "0")}  # 100 tokens in and 10 out: two thousandths


@pytest.fixture
def learning(scripted: Scripted, settings: Any) -> None:
    """Prompts carry guidance."""
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"


@pytest.fixture
def person(db: None) -> User:
    guidance.seed()
    return UserFactory()


def sums(stage: str = "", model: str = "*") -> dict[str, int]:
    """What is not nothing, of a stage and model, over its versions."""
    facts.fold()
    rows = counts.of("item").items()
    found = counts.added(one for (of, _version, by), one in rows if (of, by) == (stage, model))
    return {place: value for place, value in found.items() if value and "duration" not in place}


def say(run: Run, decision: str, person: User, **fields: Any) -> None:
    recording.submit(run.pk, recording.Fields(decision, **fields), reviewer=person)


def test_a_run_costs_once_it_is_over(scripted: Scripted, subcategory: Subcategory, person: User) -> None:
    run = past_runs(subcategory)[0]
    assert sums() == {}
    say(run, "approve", person)
    assert sums() == sums("extraction") == {"runs": 1, "accepted": 1, "first_accepted": 1}
    assert sums("extraction", "scripted-1") == sums("supervisor", "scripted-1") == {
        "calls": 1, "input_tokens": 100, "output_tokens": 10, "cost": 2000,
        "first_calls": 1, "first_tokens": 110, "first_cost": 2000,
    }  # fmt: skip
    recording.undo(run.pk, person)
    assert sums() == {} and sums("extraction", "scripted-1") == {}
    say(run, "reject", person)
    assert sums() == {"runs": 1} and sums("extraction", "scripted-1")["cost"] == 2000


def test_all_rounds_count_and_the_first_one_apart(learning: None, subcategory: Subcategory, person: User) -> None:
    run = past_runs(subcategory)[0]
    say(run, "revise", person, bad_format=True)
    pipeline.generate(run.pk)
    say(run, "approve", person)
    assert sums() == {"runs": 1, "accepted": 1}
    made = sums("extraction", "scripted-1")
    assert (made["calls"], made["first_calls"], made["cost"], made["first_cost"]) == (2, 1, 4000, 2000)
    assert made["guided"] == 1 and made["injected_characters"] > 20
    texts = Injection.objects.filter(call__stage="extraction").values_list("text", flat=True)
    assert made["injected_characters"] == sum(map(len, texts))


def test_what_was_injected_is_kept_when_it_is_forgotten(
    learning: None, subcategory: Subcategory, person: User
) -> None:
    run = past_runs(subcategory)[0]
    say(run, "revise", person, bad_format=True)
    pipeline.generate(run.pk)
    say(run, "approve", person)
    before = sums("extraction", "scripted-1")
    assert before["injected_tokens"] > 5
    Call.objects.update(created_at=datetime.now(UTC) - timedelta(days=90))
    assert forgetting.forget_calls(30) and not Injection.objects.exclude(text="").exists()
    facts.rebuild()
    assert sums("extraction", "scripted-1") == before


def test_calls_at_the_lower_price_are_counted_apart(
    scripted: Scripted, subcategory: Subcategory, person: User
) -> None:
    run = past_runs(subcategory)[0]
    say(run, "approve", person)
    call = Call.objects.filter(run=run, stage="extraction").get()
    Call.objects.filter(pk=call.pk).update(request=call.request | {"economy": True})
    facts.rebuild()
    before = sums("extraction", "scripted-1@economy")
    assert before["calls"] == 1 and sums("extraction", "scripted-1") == {}
    assert sums("supervisor", "scripted-1")["calls"] == 1
    Call.objects.update(created_at=datetime.now(UTC) - timedelta(days=90))
    assert forgetting.forget_calls(30)
    facts.rebuild()
    assert sums("extraction", "scripted-1@economy") == before


def test_runs_that_end_without_a_record_cost_too(
    scripted: Scripted, subcategory: Subcategory, person: User
) -> None:
    scripted.play(extraction=ProviderError("refused", "no"))
    run = past_runs(subcategory)[0]
    assert run.status == Status.FAILED and sums() == {"runs": 1}
    assert sums("extraction", "scripted-1") == {} and sums("extraction", run.calls.get().model)["failed"] == 1
    scripted.play()
    runs.retry(run.pk)
    assert sums() == {}, "it goes on"
    runs.cancel(run.pk)
    assert sums() == {"runs": 1}
    runs.retry(run.pk)
    pipeline.generate(run.pk)
    say(run, "reject", person)
    assert sums() == {"runs": 1}
    runs.retry(run.pk)
    assert sums() == {}


def test_runs_that_asked_nobody_are_not_counted(person: User) -> None:
    run = waiting()
    say(run, "approve", person)
    assert sums() == {}


def test_a_run_stands_in_the_week_in_which_it_was_over(
    scripted: Scripted, subcategory: Subcategory, person: User
) -> None:
    for at in (date(2026, 3, 1), date(2026, 3, 2)):  # a Sunday and a Monday
        run = past_runs(subcategory)[0]
        say(run, "approve", person)
        Run.objects.filter(pk=run.pk).update(changed_at=datetime(at.year, at.month, at.day, tzinfo=UTC))
    facts.fold()
    weeks = counts.of_weeks("item", date(2026, 1, 1))
    assert {week for week, _stage in weeks} == {date(2026, 2, 23), date(2026, 3, 2)}
    assert weeks[date(2026, 3, 2), ""]["accepted"] == 1
    assert weeks[date(2026, 3, 2), "extraction"]["cost"] == 2000
    assert counts.of_weeks("item", date(2026, 3, 1)).keys() == {
        (date(2026, 3, 2), stage) for stage in ("", "extraction", "supervisor")
    }
    assert counts.runs_by_flow() == {"item": 2}


def test_a_decision_notes_a_run_as_due_once(scripted: Scripted, subcategory: Subcategory, person: User) -> None:
    """The event alone: the path that every review takes does no more than before."""
    run = past_runs(subcategory)[0]
    facts.fold()
    say(run, "approve", person)
    assert Due.objects.count() == 1
    recording.undo(run.pk, person)
    assert Due.objects.count() == 2


def everything() -> list[str]:
    of, none = ("flow", "week", "stage", "version_id", "model", "counts"), [0] * len(counts.PLACES)
    kept = Cost.objects.exclude(counts=none).values_list(*of)
    return sorted(map(repr, [*kept, *CostFact.objects.values_list("run_id", *of)]))


@pytest.mark.parametrize("seed", range(4))
def test_after_any_life_the_sums_are_what_counting_anew_says(
    scripted: Scripted, learning: None, subcategory: Subcategory, person: User, seed: int
) -> None:
    random, other = Random(seed), SubcategoryFactory()
    made = past_runs(subcategory, 4)
    for _ in range(30):
        _one_act(random, random.choice(made), person, other, scripted)
        if random.random() < 0.4:
            facts.fold()
    facts.fold()
    found = everything()
    facts.rebuild()
    facts.fold()
    assert everything() == found
    assert Cost.objects.filter(week=ALL_TIME).exists()


def _one_act(random: Random, run: Run, person: User, other: Subcategory, scripted: Scripted) -> None:
    Claim.objects.all().delete()
    try:
        act = random.choice(["review", "review", "undo", "retry", "cancel", "generate", "fail"])
        if act == "review":
            decision = random.choice(["approve", "revise", "reject"])
            say(run, decision, person, bad_format=True, subcategory=random.choice([None, other]))
        elif act == "undo":
            recording.undo(run.pk, person)
        elif act == "retry":
            runs.retry(run.pk)
        elif act == "cancel":
            runs.cancel(run.pk)
        else:
            scripted.play(**({"extraction": ProviderError("refused", "no")} if act == "fail" else {}))
            pipeline.generate(run.pk)
    except Conflict:
        return
