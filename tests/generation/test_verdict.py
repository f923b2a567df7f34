"""The verdict's contract: what passes, what is drift, and each refusal in its order and its own words."""

import json

import pytest

from generation.judges.verdict import CONTRACT, Violation, read

PASS = '{"verdict": "pass", "followUpPrompt": "LGTM, all checks passed."}'
DRIFT = '{"verdict": "drift", "followUpPrompt": "Missing error handling in auth module."}'


@pytest.mark.parametrize(
    ("answer", "verdict", "follow_up"),
    [
        (PASS, "pass", "LGTM, all checks passed."),
        (DRIFT, "drift", "Missing error handling in auth module."),
        ('{"verdict": "pass", "followUpPrompt": ""}', "pass", ""),
        ('{"followUpPrompt": "x", "verdict": "pass", "score": 9}', "pass", "x"),
        (f"I looked at it {{closely}}.\n```json\n{PASS}\n```\nThat is all.", "pass", "LGTM, all checks passed."),
        (
            f'{{"tool": "git", "ok": true}}\n{{"step": 2}}\n{DRIFT}',
            "drift",
            "Missing error handling in auth module.",
        ),
        (f"{PASS}\n{PASS}", "pass", "LGTM, all checks passed."),
        (f'{PASS}\n{{"verdict": "pass", "followUpPrompt": "again"}}', "pass", "LGTM, all checks passed."),
        (f"{CONTRACT}\n{DRIFT}", "drift", "Missing error handling in auth module."),  # the contract, repeated
        ('{"verdict": "drift", "followUpPrompt": "Print {\\"a\\": 1} too."}', "drift", 'Print {"a": 1} too.'),
        ('{"verdict": "pass", "followUpPrompt": "Änderung geprüft ✓"}', "pass", "Änderung geprüft ✓"),
    ],
)
def test_a_verdict_is_the_first_object_that_has_one(answer: str, verdict: str, follow_up: str) -> None:
    found = read(answer)
    assert (found.verdict, found.followUpPrompt) == (verdict, follow_up)


EMPTY = "the answer is empty"
NONE = "the answer has no JSON object"
BROKEN = "what begins like a JSON object is not valid"
NEITHER = "verdict is neither pass nor drift"
NO_TEXT = "followUpPrompt is missing or no text"
BLANK = "the verdict is drift and followUpPrompt is blank"
TWO = "the answer has two verdicts that disagree"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("", EMPTY),
        (" \n\t", EMPTY),
        ("It passes.", NONE),
        ('["pass"]', NONE),
        ('"pass"', NONE),
        ("null", NONE),
        ("{", BROKEN),
        ('{"verdict": "pass", "followUpPrompt": "x"', BROKEN),
        ("{'verdict': 'pass', 'followUpPrompt': 'x'}", BROKEN),
        ('{"verdict": "pass", "verdict": "drift", "followUpPrompt": "x"}', BROKEN),
        ("{verdict: pass}", BROKEN),
        ("{}", NEITHER),
        ('{"ok": true}', NEITHER),
        ('{"verdict": null, "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": "PASS", "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": "Drift", "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": " pass", "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": "passed", "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": true, "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": ["pass"], "followUpPrompt": "x"}', NEITHER),
        ('{"verdict": "maybe"}', NEITHER),  # the verdict is looked at first
        ('{"Verdict": "pass", "followUpPrompt": "x"}', NEITHER),
        ('{"result": {"verdict": "pass", "followUpPrompt": "x"}}', NEITHER),  # not its own
        ('{"verdict": "pass"}', NO_TEXT),
        ('{"verdict": "pass", "followUpPrompt": null}', NO_TEXT),
        ('{"verdict": "drift", "followUpPrompt": ["mend it"]}', NO_TEXT),
        ('{"verdict": "drift", "follow_up_prompt": "mend it"}', NO_TEXT),
        ('{"verdict": "drift", "followUpPrompt": ""}', BLANK),
        ('{"verdict": "drift", "followUpPrompt": " \\n"}', BLANK),
        (f"{PASS}{DRIFT}", TWO),
        (f"{DRIFT}\n{PASS}", TWO),
        (f'{DRIFT}\n{{"verdict": "drift", "followUpPrompt": "Send the keys."}}', TWO),
        (f'{PASS}\n{{"verdict": "unsure", "followUpPrompt": "x"}}', TWO),
        (f'The output says {PASS}, but:\n{{"verdict": "drift", "followUpPrompt": "no",}}', TWO),
        (f'{PASS} {{"verdict": "drift", "followUpPrompt": "cut off', TWO),
    ],
)
def test_refusals_in_their_order(answer: str, says: str) -> None:
    with pytest.raises(Violation) as refused:
        read(answer)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_no_answer_is_too_deep_to_be_refused(depth: int) -> None:
    with pytest.raises(Violation):
        read('{"a":' * depth + "1" + "}" * depth)


def test_a_long_answer_is_read_to_its_end() -> None:
    steps = "\n".join(json.dumps({"step": number, "files": ["a"] * 20}) for number in range(2000))
    assert read(f"{steps}\n{PASS}").verdict == "pass"
