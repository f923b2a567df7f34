"""The three rules as tables: how many runs in which order, and what a decision in between makes of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from learning.influence import table
from learning.models import Proposal
from learning.studio.proposals import rules
from learning.studio.proposals.rules import Lately, Reviewed, Subject, cases, findings, homes
from learning.window import Missing, Window, WindowRun

Cause = Proposal.Cause
START = datetime(2026, 1, 1, tzinfo=UTC)
HOMES = homes(table("item"), frozenset({"supervisor"}))
SIZES = Subject("extraction", "wrong_physical_dimensions")
FORM = Subject("extraction", "bad_format")
CHARGING = Subject("extraction", "missing_spec", "chargingtime")
ALL = {SIZES: "wrong_physical_dimensions.extraction", FORM: "bad_format.extraction"}


def at(number: int) -> datetime:
    return START + timedelta(hours=number)


def reviewed(number: int, letter: str) -> Reviewed:
    """One run by a letter: what was raised, and what its prompt had told before.

    . nothing  x sizes raised  g told, clean  b told, raised again  B told in round 2, raised in 1 alone
    m charging time missing  a asked for it, there  n asked for it, missing again  F form raised
    """
    event = number + 1
    flags = {"x": "wrong_physical_dimensions", "b": "wrong_physical_dimensions", "B": "wrong_physical_dimensions"}
    flags["F"] = "bad_format"
    flag = flags.get(letter)
    missing = (Missing("chargingtime", ("Charging time",), (event,)),) if letter in "mn" else ()
    run = WindowRun(
        UUID(int=number), f"Run {number}", at(number), "approve", "approve", "rs", (event,),
        {flag: True} if flag else {}, {flag: (event,)} if flag else {}, missing,
    )  # fmt: skip
    said = {event: (1, at(number))}
    if letter == "B":
        said[1000 + number] = (2, at(number))
    sent = {ALL[SIZES]: 2 if letter == "B" else 1} if letter in "gbB" else {}
    return Reviewed(run, said, sent, {"chargingtime": 1} if letter in "an" else {})


def life(letters: str, subcategory_id: int = 1) -> Lately:
    runs = tuple(reviewed(number, letter) for number, letter in enumerate(letters))
    return Lately(subcategory_id, runs, Window())


def shown(letters: str, since: dict[Subject, datetime] | None = None) -> dict[Subject, Cause]:
    return {subject: case.cause for subject, case in cases(life(letters), HOMES, since or {}).items()}


@pytest.mark.parametrize(
    ("letters", "wanted"),
    [
        ("", {}),
        ("x" * 19, {}),  # one run short
        ("x" * 20, {SIZES: Cause.STAYED_ON}),
        ("." * 10 + "x" * 20, {}),  # at the first of the last twenty one of ten had raised it
        ("." * 8 + "x" * 21, {SIZES: Cause.STAYED_ON}),  # two of ten at the first of the last twenty
        ("x." * 10, {SIZES: Cause.STAYED_ON}),
        ("xx" + "." * 8 + "xx" + "." * 8, {SIZES: Cause.STAYED_ON}),  # exactly two in each window of ten
        ("xx" + "." * 9 + "xx" + "." * 7, {}),  # one window with one alone
        ("xxxx" + "." * 8 + "x" * 8, {SIZES: Cause.STAYED_ON}),
        ("xxxx" + "." * 9 + "x" * 7, {}),  # one window in the middle was off
        ("F." * 10, {FORM: Cause.STAYED_ON}),
        ("F..." * 5, {}),  # of three of ten two are too few
        ("m." * 10, {CHARGING: Cause.STAYED_ON}),  # asked for or not: it was never found
    ],
)
def test_a_trigger_that_stayed_on_over_the_last_twenty(letters: str, wanted: dict[Subject, Cause]) -> None:
    assert shown(letters) == wanted


def steadily(letters: str, guided: str, older: str = "", older_guided: str = "") -> Lately:
    """The same by the policy `steady`; `older` runs are looked at, but not gone through. guided: g where the run
    was made with the trigger's guidance."""
    on = frozenset({"wrong_physical_dimensions_trigger"})
    every = [
        replace(one, run=replace(one.run, guided=on if mark == "g" else frozenset()))
        for number, (letter, mark) in enumerate(zip(older + letters, older_guided + guided, strict=True))
        for one in [reviewed(number, letter)]
    ]
    read_by = Window(policy="steady").over([one.run for one in every])
    return Lately(1, tuple(every[len(older) :]), read_by)


@pytest.mark.parametrize(
    ("lately", "wanted"),
    [
        (steadily("xxxxx" + "." * 30, "....." + "g" * 30), {SIZES: Cause.STAYED_ON}),  # it works, and it is needed
        (steadily("xxxxx" + "." * 30, "." * 35), {}),  # clean without guidance: it let go
        (steadily("." * 30, "g" * 30, "xxxxx", "....."), {SIZES: Cause.STAYED_ON}),  # what lifted it is older
        (steadily("." * 19, "g" * 19, "xxxxx", "....."), {}),  # one run short
        (steadily("xxxxx" + "." * 18, "....." + "g" * 18), {}),  # it was not on at the first of the last twenty
    ],
)
def test_under_steady_it_is_the_evidence_that_stays(lately: Lately, wanted: dict[Subject, Cause]) -> None:
    found = cases(lately, HOMES, {})
    assert {subject: case.cause for subject, case in found.items()} == wanted
    assert all(case.events for case in found.values())


@pytest.mark.parametrize(
    ("letters", "wanted"),
    [
        ("bb", {}),
        ("bbb", {SIZES: Cause.CAME_BACK}),  # of three: few runs, and all of them
        ("bbb" + "g" * 7, {SIZES: Cause.CAME_BACK}),
        ("bbb" + "g" * 8, {}),  # three of eleven: the last ten have two
        ("bb" + "g" * 8 + "b", {}),
        ("x" * 9, {}),  # raised, but nothing had been told
        ("b" + "." * 20 + "bb", {SIZES: Cause.CAME_BACK}),  # runs that were not told do not count
        ("BBBB", {}),  # raised before it was told
        ("BBbbb", {SIZES: Cause.CAME_BACK}),
        ("b" * 20, {SIZES: Cause.CAME_BACK}),  # and stayed on: the stronger cause is told
    ],
)
def test_a_correction_that_came_back_although_its_guidance_was_sent(
    letters: str, wanted: dict[Subject, Cause]
) -> None:
    assert shown(letters) == wanted


@pytest.mark.parametrize(
    ("letters", "wanted"),
    [
        ("nn", {}),
        ("nnn", {CHARGING: Cause.STILL_MISSING}),
        ("mmm", {}),  # nobody had asked for it
        ("nnn" + "a" * 7, {CHARGING: Cause.STILL_MISSING}),
        ("nnn" + "a" * 8, {}),
    ],
)
def test_a_field_that_is_missing_although_it_was_asked_for(letters: str, wanted: dict[Subject, Cause]) -> None:
    assert shown(letters) == wanted


@pytest.mark.parametrize(
    ("subject", "before", "after", "comes"),
    [
        (SIZES, "bbbbb", "", False),
        (SIZES, "bbbbb", "bb", False),  # two new ones
        (SIZES, "bbbbb", "bbb", True),
        (SIZES, "bbbbb", "bbggggggb", True),
        (SIZES, "x" * 20, "x" * 19, False),
        (SIZES, "x" * 20, "x" * 20, True),
        (CHARGING, "nnn", "nn", False),
        (CHARGING, "nnn", "nnn", True),
        (SIZES, "x" * 30, "bbb", True),  # by another cause
    ],
)
def test_what_was_decided_comes_back_with_as_much_new_evidence_as_the_rule_needs(
    subject: Subject, before: str, after: str, comes: bool
) -> None:
    since = {subject: at(len(before) - 1)}
    assert (subject in shown(before + after, since)) is comes


def test_the_evidence_is_what_raised_it_among_the_runs_that_count() -> None:
    [case] = cases(life("b.bg.b"), HOMES, {}).values()
    assert (case.count, len(case.cells), case.threshold) == (3, 4, 3)
    assert case.events == (1, 3, 6)
    assert [raised for _run, raised in case.cells] == [True, True, False, True]
    [case] = cases(life("x." * 10 + "x."), HOMES, {}).values()
    assert (case.count, len(case.cells)) == (10, 20) and case.events == tuple(range(3, 23, 2))


def test_a_field_keeps_its_reviewers_spelling() -> None:
    [case] = cases(life("nnn"), HOMES, {}).values()
    assert case.name == "Charging time"


def test_a_subcategory_alone_is_named_and_several_are_not() -> None:
    def found(*lives: str) -> Sequence[rules.Finding]:
        return findings("item", [cases(life(letters, n), HOMES, {}) for n, letters in enumerate(lives, 1)])

    [alone] = found("bbb", "...")
    assert (alone.subcategory_id, alone.subject) == (1, SIZES)
    [both] = found("x" * 20, "bbb")
    assert (both.subcategory_id, both.cause) == (None, Cause.CAME_BACK), "the strongest cause is told"
    assert [case.subcategory_id for case in both.cases] == [2, 1]
    assert {one.subject for one in found("bbb", "nnn")} == {SIZES, CHARGING}


@pytest.mark.parametrize("flow", ["item", "editorial", "question", "change"])
def test_each_signal_with_guidance_has_a_stage_that_makes(flow: str) -> None:
    judging = {"item": "supervisor", "change": "reviewer"}.get(flow, "judge")
    found = homes(table(flow), frozenset({judging}))
    assert set(found) == {line.trigger.removesuffix("_trigger") for line in table(flow) if line.trigger}
    assert judging not in {line.stage for line in found.values()}


def test_a_signal_that_only_judges_hear_of_goes_to_them() -> None:
    lines = [line for line in table("editorial") if line.stage == "judge"]
    assert {line.stage for line in homes(lines, frozenset({"judge"})).values()} == {"judge"}
