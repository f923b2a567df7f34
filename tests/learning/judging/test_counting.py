"""What is counted of judge and people: only reviews made blind to it, of the draft that it judged."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from generation.models import Run
from learning import facts
from learning.judging import counting
from learning.models import Judging, JudgingFact, JudgingScores
from review.models import ReviewEvent
from tests.factories import DraftFactory, RunFactory, UserFactory
from tests.learning.histories import said, taken_back
from tests.learning.judging.pairs import BLIND, criteria, judged, pair, rubric

pytestmark = pytest.mark.django_db


def counted(criterion: str = "verdict", flow: str = "item", kind: str = "supervisor") -> dict[str, int]:
    """What is not nothing, of all who judged."""
    facts.fold()
    found = counting.added(one[criterion] for one in counting.sums(flow, kind).values() if criterion in one)
    return {place: count for place, count in found.items() if count}


@pytest.mark.parametrize(
    ("outcome", "review", "place"),
    [
        ("passed", {}, "passed_good"),
        ("passed", {"decision": "revise"}, "passed_bad"),
        ("passed", {"decision": "reject"}, "passed_bad"),
        ("passed", {"corrections": {"values": [{"pointer": "/name"}]}}, "passed_bad"),
        ("failed", {}, "failed_good"),
        ("failed", {"decision": "reject"}, "failed_bad"),
        ("unavailable", {}, "unavailable_good"),
        ("unavailable", {"decision": "revise"}, "unavailable_bad"),
    ],
)
def test_a_verdict_beside_the_decision(outcome: str, review: Mapping[str, Any], place: str) -> None:
    pair(outcome, review)
    assert counted() == {place: 1}


REVISE = {"decision": "revise"}
EDITORIAL = [
    ("format", {}, {}, "passed_good"),
    ("format", {"format": False}, {"bad_format": True, "decision": "revise"}, "failed_bad"),
    ("format", {"format": False}, {"bad_format": False, "decision": "revise"}, "failed_good"),
    ("format", {}, {"bad_format": True}, "passed_bad"),  # a signal goes before the approval
    ("format", {}, REVISE, "passed_unsaid"),  # silence on what was sent back says nothing
    ("format", {"format": False}, REVISE, "failed_unsaid"),
    ("hallucination", {"hallucination": False}, {"wrong_information": True}, "failed_bad"),
    ("hallucination", {}, {"wrong_physical_dimensions": True, "decision": "revise"}, "passed_unsaid"),
    ("fact_accuracy", {"hallucination": False}, {"wrong_information": True}, "passed_bad"),
    ("fact_accuracy", {"fact_accuracy": False}, {"wrong_physical_dimensions": True}, "failed_bad"),
    ("facts", {"hallucination": False}, {"wrong_information": True}, "failed_bad"),
    ("facts", {}, REVISE | {"wrong_information": False}, "passed_unsaid"),
    ("facts", {}, REVISE | {"wrong_information": False, "wrong_physical_dimensions": False}, "passed_good"),
    ("content_completeness", {"content_completeness": False}, {"missing_spec": ["price"]}, "failed_bad"),
    ("content_completeness", {}, {"information_present": False}, "passed_bad"),
    ("content_completeness", {}, REVISE | {"information_present": True}, "passed_good"),
    ("content_completeness", {}, REVISE | {"information_present": True, "missing_spec": ["price"]}, "passed_bad"),
    ("content_completeness", {}, REVISE, "passed_unsaid"),
]


@pytest.mark.parametrize(("criterion", "passed", "review", "place"), EDITORIAL)
def test_a_criterion_beside_its_signals(
    criterion: str, passed: dict[str, bool], review: Mapping[str, Any], place: str
) -> None:
    outcome = "passed" if all(passed.values()) else "failed"
    pair(outcome, review, flow="editorial", kind="criteria", result=criteria(**passed))
    assert counted(criterion, "editorial", "criteria") == {place: 1}


@pytest.mark.parametrize(
    "result",
    [{}, {"criteria": []}, {"criteria": "x"}, {"criteria": [3, {"criterion": "format", "passed": "yes"}]}],
)
def test_a_result_that_does_not_say_is_no_verdict(result: dict[str, Any]) -> None:
    pair("failed", flow="editorial", kind="criteria", result=result)
    assert counted("format", "editorial", "criteria") == {"unavailable_good": 1}
    assert counted("facts", "editorial", "criteria") == {"unavailable_good": 1}
    assert counted("verdict", "editorial", "criteria") == {"failed_good": 1}


QUESTION = [
    ("total", rubric(0.7), {}, "passed_good"),
    ("total", rubric(0.69), {}, "failed_good"),
    ("structure", rubric(valid=False), {"bad_format": True}, "failed_bad"),
    ("clinical_accuracy", rubric(clinical_accuracy=0.6), {"wrong_physical_dimensions": True}, "failed_bad"),
    ("clinical_accuracy", rubric(), {"wrong_information": True}, "passed_bad"),
    ("distractor_quality", rubric(distractor_quality=0.7), {"bad_format": True}, "passed_bad"),
    ("slo_coverage", rubric(slo_coverage=0.1), {"missing_spec": ["ECG"]}, "failed_bad"),
    ("total", {"composite_score": "high"}, {}, "unavailable_good"),
]


@pytest.mark.parametrize(("criterion", "result", "review", "place"), QUESTION)
def test_a_dimension_passes_at_the_threshold_of_then(
    criterion: str, result: dict[str, Any], review: Mapping[str, Any], place: str
) -> None:
    pair("passed", review, flow="question", kind="rubric", result=result)
    assert counted(criterion, "question", "rubric") == {place: 1}


def test_scores_are_binned_so_that_a_threshold_cuts_between() -> None:
    for composite, review in [(0.7, {}), (0.695, {}), (0.29, {"decision": "reject"}), (1, {}), (0, {})]:
        pair("passed", review, flow="question", kind="rubric", result=rubric(composite))
    pair("failed", flow="question", kind="rubric", result=rubric(0.9, valid=False))  # no threshold lets it pass
    pair("unavailable", flow="question", kind="rubric", result={"validation": {"is_valid": True}})
    facts.fold()
    ((whose, scores),) = counting.scores("question").items()
    assert whose == (0, counting.By(0, "m"))
    assert [(at, count) for at, count in enumerate(scores.good) if count] == [(0, 1), (69, 1), (70, 1), (100, 1)]
    assert [(at, count) for at, count in enumerate(scores.bad) if count] == [(29, 1)]


def test_who_knew_the_judge_is_not_asked() -> None:
    pair(review={"blind": False, "blind_to_judge": False})
    pair(review={"blind_to_judge": False})  # blind to the other reviewers alone
    pair(review={"source": "machine"})
    taken_back(pair(), "undone")
    taken_back(pair(), "left_out")
    waiting = pair(status="awaiting_review", reviews_needed=2, reviews_done=1, reviews_from=1)
    assert counted() == {}
    Run.objects.filter(pk=waiting.run_id).update(status="approved")
    assert counted() == {"passed_good": 1}


def test_a_review_given_again_after_it_was_taken_back_knew_the_judge() -> None:
    first = pair()
    taken_back(first, "undone")
    again = {"blind": True, "blind_to_judge": True, "draft": first.draft}
    said(first.run, reviewer=first.reviewer, **again)
    assert counted() == {}
    said(first.run, reviewer=UserFactory(), decision="reject", **again)
    assert counted() == {"passed_bad": 1}


def test_the_draft_that_the_person_saw_and_its_last_judgement() -> None:
    run = RunFactory(status="approved", **BLIND)
    judged(run, "failed")
    mended = DraftFactory(run=run, revision=2)
    judged(run, "unavailable", draft=mended)
    judged(run, "passed", draft=mended)
    said(run, blind=True, blind_to_judge=True, draft=mended)
    later = DraftFactory(run=run, revision=3, round=2)
    judged(run, "failed", draft=later, round=2)
    said(run, blind=True, blind_to_judge=True, draft=later, round=2)
    assert counted() == {"passed_good": 1, "failed_good": 1}


def test_of_several_reviewers_the_first_is_taken() -> None:
    first = pair(review={"decision": "reject"})
    said(first.run, blind=True, blind_to_judge=True, draft=first.draft)
    assert counted() == {"passed_bad": 1}


def test_a_run_that_is_gone_takes_its_facts_along() -> None:
    event = pair(flow="question", kind="rubric", result=rubric(0.8))
    facts.fold()
    assert JudgingFact.objects.filter(run_id=event.run_id).count() == 7
    taken_back(event, "undone")
    facts.fold()
    assert not JudgingFact.objects.exists()
    assert everything() == ([], [], [])


@pytest.mark.parametrize("seed", range(4))
def test_sums_after_any_life_are_those_of_counting_anew(seed: int) -> None:
    """Reviews given, taken back and left out, and folding in between: sums are what a rebuild makes of it."""
    chance = Random(seed)
    events: list[ReviewEvent] = []
    for _ in range(60):
        act = chance.random()
        if act < 0.5 or not events:
            flow, kind = chance.choice([("editorial", "criteria"), ("question", "rubric"), ("item", "supervisor")])
            result = {
                "criteria": criteria(format=chance.random() < 0.5, hallucination=chance.random() < 0.5),
                "rubric": rubric(chance.choice([0.3, 0.69, 0.7, 0.9]), valid=chance.random() < 0.8),
                "supervisor": {},
            }[kind]
            review = {
                "decision": chance.choice(["approve", "revise", "reject"]),
                "bad_format": chance.choice([None, True, False]),
                "wrong_information": chance.choice([None, True, False]),
            }
            outcome, model = chance.choice(["passed", "failed", "unavailable"]), chance.choice("ab")
            events.append(pair(outcome, review, flow=flow, kind=kind, result=result, model=model))
        elif act < 0.7:
            taken_back(events.pop(chance.randrange(len(events))), chance.choice(["undone", "left_out"]))
        elif act < 0.8:
            event = chance.choice(events)
            said(event.run, blind=True, blind_to_judge=True, draft=event.draft, decision="reject")
        else:
            facts.fold()
    facts.fold()
    before = everything()
    call_command("rebuild_facts")
    assert everything() == before and before[0]


def everything() -> tuple[list[object], ...]:
    """Facts and sums that are not nothing, in one order."""
    found = JudgingFact.objects.order_by("judgement_id", "criterion").values_list(
        "judgement_id", "criterion", "good"
    )
    who = ("flow", "version_id", "model")
    sums = Judging.objects.order_by(*who, "criterion").values_list(*who, "criterion", "counts")
    scores = JudgingScores.objects.order_by(*who).values_list(*who, "counts")
    return list(found), [one for one in sums if any(one[-1])], [one for one in scores if any(one[-1])]
