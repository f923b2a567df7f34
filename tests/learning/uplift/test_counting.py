"""What is counted of guided runs and of the holdout: by hand, and over random lives against counting anew."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from generation.models import Arm, Call, Injection, Run, Subcategory
from learning import facts
from learning.models import Due, FirstSent, Uplift, UpliftFact
from learning.uplift.counting import PLACES
from learning.uplift.reading import of_subcategory, places
from review import recording
from review.models import ReviewEvent
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.learning.lives import Life

pytestmark = pytest.mark.django_db
FORMAT, WRONG = "bad_format_trigger", "wrong_information_trigger"
SHARE = Decimal("0.1")


@pytest.fixture
def here() -> Subcategory:
    found: Subcategory = SubcategoryFactory()
    return found


@pytest.fixture
def person() -> User:
    found: User = UserFactory()
    return found


def state(*fired: str, at: Subcategory) -> dict[str, Any]:
    return {
        "triggers": {name: {"fired": name in fired} for name in (FORMAT, WRONG)},
        "basis": {"subcategory": at.pk},
    }


def made(at: Subcategory, *fired: str, arm: str = Arm.GUIDED, share: Decimal = SHARE, learns: bool = True) -> Run:
    """A run as the pipeline leaves it: its triggers, its call, and the guidance that went into it."""
    run: Run = RunFactory(
        subcategory=at, arm=arm, holdout_share=share, trigger_state=state(*fired, at=at) if learns else None
    )
    DraftFactory(run=run)
    sent(run, *fired)
    return run


def sent(run: Run, *fired: str) -> None:
    call = Call.objects.create(run=run, round=run.round, stage="extraction", provider="demo", answer="{}")
    if run.arm == Arm.GUIDED:
        for reason in fired:
            Injection.objects.create(call=call, placeholder="X", guidance_key="x", text="x", reason=reason)


def say(run: Run, by: User, decision: str = "approve", **signals: Any) -> ReviewEvent:
    recording.submit(run.pk, recording.Fields(decision, **signals), reviewer=by)
    return ReviewEvent.objects.filter(run=run).latest("id")


def sums(at: Subcategory, arm: str = Arm.GUIDED, share: Decimal = SHARE) -> Mapping[str, int]:
    """What is not nothing, but for what came before guidance."""
    facts.fold()
    found = Uplift.objects.filter(subcategory_id=at.pk, arm=arm, share=share).first()
    counts = zip(PLACES, found.counts, strict=True) if found else ()
    return {place: value for place, value in counts if value and ".before" not in place}


def test_both_arms_with_what_was_on_and_what_came(here: Subcategory, person: User) -> None:
    say(made(here, FORMAT), person)
    say(made(here, FORMAT), person, "reject", bad_format=True)
    say(made(here, FORMAT, arm=Arm.CONTROL), person, "reject", bad_format=True, wrong_information=True)
    say(made(here, arm=Arm.CONTROL), person)
    made(here)
    assert sums(here) == {
        "runs": 3, "first": 2, "accepted": 1, f"{FORMAT}.on": 2, f"{FORMAT}.on_raised": 1,
        f"{FORMAT}.since": 2, f"{FORMAT}.since_raised": 1,
    }  # fmt: skip
    assert sums(here, Arm.CONTROL) == {
        "runs": 2, "first": 2, "accepted": 1, f"{FORMAT}.on": 1, f"{FORMAT}.on_raised": 1, f"{FORMAT}.since": 2,
        f"{FORMAT}.since_raised": 1,
    }  # fmt: skip


def test_before_guidance_was_sent_and_since(here: Subcategory, person: User) -> None:
    for _ in range(3):
        say(made(here), person, "reject", bad_format=True)
    facts.fold()
    say(made(here, FORMAT), person)
    say(made(here), person, "reject", bad_format=True)
    facts.fold()
    found = dict(zip(PLACES, Uplift.objects.get().counts, strict=True))
    parts = ("before", "before_raised", "since", "since_raised")
    assert [found[f"{FORMAT}.{part}"] for part in parts] == [3, 3, 2, 1]


def test_guidance_that_turns_out_to_have_been_sent_earlier(here: Subcategory, person: User) -> None:
    """Its run's call was written by a worker that came late to it."""
    early, late = made(here), made(here)
    for run in (early, late):
        say(run, person, "reject", bad_format=True)
    assert f"{FORMAT}.since" not in sums(here)
    first = early.calls.get()
    Injection.objects.create(call=first, placeholder="X", guidance_key="x", text="x", reason=FORMAT)
    say(made(here), person)
    Call.objects.create(run=early, stage="supervisor", provider="demo", answer="PASS")  # due again
    assert sums(here)[f"{FORMAT}.since"] == 3
    assert FirstSent.objects.get().at == first.created_at


def test_the_first_round_alone(here: Subcategory, person: User) -> None:
    run = made(here, FORMAT)
    say(run, person, "revise", wrong_information=True)
    run.refresh_from_db()
    assert run.trigger_state is None and run.first_trigger_state == state(FORMAT, at=here)
    Run.objects.filter(pk=run.pk).update(status="awaiting_review", trigger_state=state(WRONG, at=here), revision=2)
    run.refresh_from_db()
    DraftFactory(run=run, revision=2)
    sent(run, WRONG)
    say(run, person, "approve", bad_format=True)
    assert sums(here) == {
        "runs": 1, "first": 1, f"{FORMAT}.on": 1, f"{FORMAT}.since": 1
    }  # fmt: skip


@pytest.mark.parametrize("how", ["undo", "leave_out"])
def test_a_review_that_counts_no_more(here: Subcategory, person: User, how: str) -> None:
    event = say(made(here, FORMAT), person, bad_format=True)
    assert sums(here)["first"] == 1
    recording.undo(event.run_id, person) if how == "undo" else recording.leave_out(event.pk, person)
    assert sums(here) == {"runs": 1}


def test_a_run_stands_where_it_was_generated(here: Subcategory, person: User) -> None:
    other = SubcategoryFactory()
    say(made(here, FORMAT), person, "approve", bad_format=True, subcategory=other)
    say(made(here, learns=False), person, "approve", subcategory=other)
    assert sums(here)[f"{FORMAT}.on_raised"] == 1 and sums(other) == {}
    assert sums(here, share=Decimal(0)) == {"runs": 1, "first": 1}, "learning was off: nothing was drawn"


def test_a_subcategory_is_compared_at_one_share(here: Subcategory, person: User) -> None:
    other = Decimal("0.2")
    for share, decision in ((SHARE, "approve"), (other, "reject"), (Decimal(0), "approve")):
        say(made(here, share=share), person, decision)
    facts.fold()
    seen = {share: of_subcategory("item", here.pk, share)[0].guided for share in (SHARE, other, Decimal(0))}
    assert [(sums["first"], sums["accepted"]) for sums in seen.values()] == [(1, 1), (1, 0), (0, 0)]
    made(SubcategoryFactory())  # which nobody reviewed
    facts.fold()
    assert set(places(SHARE)) == set(places(other)) == {("item", here.pk)}


def test_shares_stand_apart_and_a_run_that_goes_takes_its_counts_with_it(here: Subcategory) -> None:
    made(here)
    run = RunFactory(subcategory=here, holdout_share=Decimal("0.2"), trigger_state=state(at=here))
    Due.objects.create(run_id=run.pk)
    assert sums(here) == sums(here, share=Decimal("0.2")) == {"runs": 1}
    run.delete()
    assert sums(here) == {"runs": 1} and sums(here, share=Decimal("0.2")) == {}


def snapshot() -> tuple[list[Any], list[Any], list[Any]]:
    kept = Uplift.objects.order_by("flow", "subcategory_id", "share", "arm")
    return (
        [row for row in kept.values_list("flow", "subcategory_id", "share", "arm", "counts") if any(row[-1])],
        list(UpliftFact.objects.order_by("run_id").values()),
        list(FirstSent.objects.order_by("subcategory_id", "trigger").values("subcategory_id", "trigger", "at")),
    )


class Drawn(Life):
    """A life whose runs are drawn, and that leaves calls and injections behind."""

    def _generate(self) -> None:
        before = dict(Run.objects.values_list("pk", "round"))
        states = dict(Run.objects.values_list("pk", "trigger_state"))
        super()._generate()
        for run in Run.objects.all():
            new = run.pk not in before
            if new:
                arm = self.random.choice(Arm.values)
                share = self.random.choice([Decimal(0), SHARE])
                Run.objects.filter(pk=run.pk).update(arm=arm, holdout_share=share)
                run.refresh_from_db()
            if new or (states[run.pk] is None and run.trigger_state is not None):
                triggers = (run.trigger_state or {"triggers": {}})["triggers"]
                sent(run, *(name for name, one in triggers.items() if one["fired"]))
        if self.random.random() < 0.3:
            facts.fold()


@pytest.mark.parametrize("seed", range(4))
def test_counted_bit_by_bit_is_counted_anew(seed: int) -> None:
    life = Drawn.begun(seed)
    life.live(90)
    facts.fold()
    bit_by_bit = snapshot()
    assert sum(row[-1][1] for row in bit_by_bit[0]) > 10 and bit_by_bit[2], "it must have lived"
    runs = list(UpliftFact.objects.values_list("counts", flat=True))
    totals = [sum(values) for values in zip(*runs, strict=True)]
    assert totals == [sum(values) for values in zip(*(row[-1] for row in bit_by_bit[0]), strict=True)]
    call_command("rebuild_facts")
    facts.fold()
    assert snapshot() == bit_by_bit
