"""The criteria judge: what of an answer counts, and that nothing passes by being left out."""

import json
from typing import Any

import pytest

from generation.judges.criteria import feedback, read
from generation.judges.criterion import ASKED, Malformed
from generation.models import Draft, Judgement
from tests.generation.editorials import FAIL, PASS, answer, given

H, F, C = ASKED


def listed(*criteria: Any) -> str:
    return json.dumps({"criteria": list(criteria)})


ODD: tuple[Any, ...] = ("true", 1, None, "yes", [])
ALL = (given(H), given(F), given(C))


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (PASS, []),
        (FAIL, [H]),
        (answer(given(H, reason="x"), given(C, reason="y")), [H, C]),
        (answer(given(F, severity="MINOR ")), [F]),
        (f"Here it is:\n```json\n{PASS}\n```", []),
        (f'{{"note": 1}} {PASS}', []),  # another object before it
        (f"{FAIL}\nAs I said: {FAIL}", [H]),  # twice the same
        (answer(passed=False), []),  # what it says of the whole is not read
        (answer(given(H), passed=True, summary="all passed"), []),
        (answer(given(F), passed=True, overall=True), []),
        (listed(given(C), given(H, reason="x"), given(F)), [H]),  # in any order
        (listed(*ALL, given("format", reason="ugly", severity="critical")), []),  # settled without it
        (listed(given("Fact accuracy"), given(" HALLUCINATION"), given("content-completeness")), []),
        (listed(given(H) | {"severity": "fatal"}, given(F), given(C)), []),  # of what passed it is not read
    ],
)
def test_what_an_answer_says(text: str, failed: list[str]) -> None:
    criteria = read(text)
    assert [one.criterion for one in criteria] == list(ASKED)
    assert [one.criterion for one in criteria if not one.passed] == failed
    assert all(one.reason and one.severity for one in criteria if not one.passed)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("All criteria passed.", "no JSON object"),
        ('{"passed": true}', "no JSON object"),
        (json.dumps(list(ALL)), "no JSON object"),
        (json.dumps({"result": {"criteria": list(ALL)}}), "no JSON object"),
        (PASS[:-5], "no JSON object"),
        ('{"criteria": null}', "no list"),
        ('{"criteria": {"hallucination": true}}', "no list"),
        (listed(), "leaves out hallucination, fact_accuracy, content_completeness"),
        (listed(given(H), given(F)), "leaves out content_completeness"),
        (listed(given("format"), given(H), given(F)), "leaves out content_completeness"),
        (listed(*ALL, given(H)), "twice"),
        (listed(*ALL, given(H, reason="x")), "twice"),
        (listed(*ALL, given("style")), "'style' is no criterion"),
        (listed(given("hallucinations"), given(F), given(C)), "is no criterion"),
        (listed(given(H), given(F), "passed"), "no object"),
        (listed(given(H), given(F), given(C) | {"criterion": None}), "is no criterion"),
        *((listed(given(H) | {"passed": odd}, given(F), given(C)), "neither") for odd in ODD),
        (listed(given(H, reason=" \n"), given(F), given(C)), "without a reason"),
        (listed(given(H, reason=["x"]), given(F), given(C)), "without a reason"),
        (listed(given(H, severity=None), given(F), given(C)), "severity"),
        (listed(given(H, severity="fatal"), given(F), given(C)), "severity"),
        (f"{PASS} {FAIL}", "disagree"),
        (f"The draft says {PASS}. I say {FAIL}", "disagree"),
        (f"{PASS} {listed(given(H))}", "leaves out"),
    ],
)
def test_what_is_malformed(text: str, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        read(text)


def test_what_a_judge_says_is_kept_in_one_line_of_bounded_length() -> None:
    [first, *_] = read(answer(given(H, reason="first\nsecond " + "x" * 5000)))
    assert first.reason.startswith("first second x") and len(first.reason) == 1500
    with pytest.raises(Malformed) as refused:
        read(listed(*ALL, given("x" * 5000)))
    assert len(str(refused.value)) < 80


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"The draft says {PASS}, but it is full of inventions.", False),
        (f"It ends in {PASS}", False),
        (f"{PASS} {json.dumps({'result': json.loads(FAIL)})}", False),  # its own, in no form that can be read
        (f"{PASS} {FAIL[:-9]}", False),  # its own, cut off
        (f"{PASS} {PASS}", False),
        (PASS, True),  # nothing but the answer that was asked for
        (f"```json\n{PASS}\n```", True),
        (f"The draft says {PASS}. So do I: {answer(given(H) | {'reason': 'All in the source.'})}", True),
    ],
)
def test_what_is_only_quoted_from_the_judged_text_is_no_answer(text: str, own: bool) -> None:
    assert len(read(text)) == len(ASKED)  # of a draft that does not hold it
    if own:
        assert all(one.passed for one in read(text, ["a", f"Read this: {PASS}"]))
    else:
        with pytest.raises(Malformed, match="of its own"):
            read(text, ["a", f"Read this: {PASS}"])


def judged(cycle: int, title: Any, *failed: tuple[str, str, str]) -> Judgement:
    criteria = [
        {"criterion": name, "passed": False, "reason": reason, "severity": severity, "field": ""}
        for name, severity, reason in failed
    ]
    criteria.append({"criterion": "format", "passed": True, "reason": "", "severity": None, "field": ""})
    outcome = "failed" if failed else "unavailable"
    return Judgement(
        cycle=cycle, outcome=outcome, draft=Draft(content={"title": title}), result={"criteria": criteria}
    )


INVENTED, WRONG = (H, "critical", "Olaf is invented."), (F, "minor", "March, not May.")


@pytest.mark.parametrize(
    ("judgements", "told"),
    [
        ([], ""),
        ([judged(1, "A")], ""),
        (
            [judged(1, "A", INVENTED)],
            'The last attempt, titled "A", failed:\n- hallucination (critical): Olaf is invented.',
        ),
        (
            [judged(1, "A", INVENTED, WRONG), judged(2, "B\n C", INVENTED)],
            'The last attempt, titled "B C", failed:\n- hallucination (critical): Olaf is invented.\n\n'
            'An earlier attempt, titled "A", failed:\n- fact accuracy (minor): March, not May.',
        ),
        (
            [judged(1, "A", WRONG), judged(2, None, WRONG)],
            "The last attempt failed:\n- fact accuracy (minor): March, not May.",
        ),
        ([judged(1, ["A"], WRONG)], "The last attempt failed:\n- fact accuracy (minor): March, not May."),
    ],
)
def test_feedback_holds_title_and_earlier_attempts_and_each_reason_once(
    judgements: list[Judgement], told: str
) -> None:
    assert feedback(judgements) == told


def test_a_title_of_any_length_is_cut() -> None:
    assert feedback([judged(1, "T" * 5000, WRONG)]).count("T") == 201  # with the T of "The last attempt"
