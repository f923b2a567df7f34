"""The supervisor's first word decides, and nothing else in its answer does."""

import pytest

from generation.judges.supervisor import read


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("PASS", "passed"),
        ("pass", "passed"),
        ("Pass.", "passed"),
        ("**PASS**", "passed"),
        ("_Pass_ all good", "passed"),
        ("  \n- PASS: fine", "passed"),
        ("> PASS, although I would fail others", "passed"),
        ("FAIL", "failed"),
        ("**Fail:** length is wrong", "failed"),
        ("FAIL: does not pass", "failed"),
        ("fail - PASS would be wrong", "failed"),
        ("", "unavailable"),
        ("PASSED", "unavailable"),
        ("Failure", "unavailable"),
        ("PASSFAIL", "unavailable"),
        ("Verdict: PASS", "unavailable"),
        ("The record does pass", "unavailable"),
        ("РASS", "unavailable"),  # a Cyrillic letter
        ("I cannot judge this.", "unavailable"),
        ("PASS/FAIL: FAIL", "unavailable"),  # the question, and then the answer
        ("**PASS** / **FAIL**", "unavailable"),
        ("PASS or FAIL? FAIL", "unavailable"),
        ("Pass-fail: fail", "unavailable"),
    ],
)
def test_first_word(answer: str, outcome: str) -> None:
    assert read(answer)[0] == outcome


@pytest.mark.parametrize(
    ("answer", "feedback"),
    [
        ("FAIL: weight is 1.8 kg", "weight is 1.8 kg"),
        ("**FAIL**\n/name: wrong\n/sources: none", "/name: wrong\n/sources: none"),
        ("FAIL", "The record was failed without a reason."),
        ("PASS: well done", ""),
    ],
)
def test_feedback_is_what_follows(answer: str, feedback: str) -> None:
    assert read(answer)[1] == feedback


def test_feedback_is_bounded_and_never_blank() -> None:
    assert read("FAIL: " + "x" * 20_000) == ("failed", "x" * 6000)
    assert read("FAIL") == ("failed", "The record was failed without a reason.")
