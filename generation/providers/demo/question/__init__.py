"""The stages of the question flow, answered by rules."""

import json
import re

from generation.providers.demo.faults import CATCH_RATE, GUIDED_CATCH_RATE, REMARK_CURE_RATE, coin, falls
from generation.providers.demo.prompt import QUOTE, Prompt
from generation.providers.demo.question.case import Case, case
from generation.providers.demo.question.mistakes import COMPONENT, Slip, question, rate, slips_in

CURE_RATE = 0.8  # the share of slips that a warning in the prompt prevents
TOLD = re.compile(r"^Make anew: (\w+)$", re.MULTILINE)
# Words by which guidance is known. A model would understand any wording; these rules know these.
TELLING: dict[Slip, re.Pattern[str]] = {
    Slip.MIXED_UP: re.compile(r"\bcross-?check|\bevidence\b", re.IGNORECASE),
    Slip.FIGURE: re.compile(r"\breference range", re.IGNORECASE),
    Slip.LETTERED: re.compile(r"\bstrict(?:ly)?\b", re.IGNORECASE),
    Slip.NEGATED: re.compile(r"\bstrict(?:ly)?\b", re.IGNORECASE),
    Slip.THIN: re.compile(r"\bfuller\b", re.IGNORECASE),
    Slip.MISSING: re.compile(r"\blook for these first\b(?s:.){0,400}\b(?:vital signs?|vitals)\b", re.IGNORECASE),
}
# What people and judges write about one question.
REMARKS: dict[Slip, re.Pattern[str]] = {
    Slip.MIXED_UP: re.compile(r"\b(?:wrong|incorrect|does not belong|contradicts?)\b", re.IGNORECASE),
    Slip.FIGURE: re.compile(r"\b(?:figures?|units?|doses?|values?|decimal)\b", re.IGNORECASE),
    Slip.LETTERED: re.compile(r"\b(?:letters?|form|format)\b", re.IGNORECASE),
    Slip.NEGATED: re.compile(r"\b(?:negated|negative|stem)\b", re.IGNORECASE),
    Slip.THIN: re.compile(r"\b(?:thin|too little|incomplete)\b", re.IGNORECASE),
    Slip.MISSING: re.compile(r"\b(?:vital signs?|vitals|missing)\b", re.IGNORECASE),
    Slip.WEAK: re.compile(r"\b(?:implausible|weak|distractors?)\b", re.IGNORECASE),
}
DIMENSIONS = ("clinical_accuracy", "pedagogical_alignment", "distractor_quality", "slo_coverage", "blooms_match")
# What the judge says of a slip that it sees: the dimension that it lowers, and why.
SAID: dict[Slip, tuple[str, str]] = {
    Slip.MIXED_UP: ("clinical_accuracy", "One finding contradicts the key: it belongs to another option."),
    Slip.FIGURE: ("clinical_accuracy", "A figure cannot be: the decimal point is lost."),
    Slip.THIN: ("clinical_accuracy", "Too little in the case decides between the options."),
    Slip.MISSING: ("clinical_accuracy", "The vital signs are missing."),
    Slip.NEGATED: ("pedagogical_alignment", "The stem is negated; ask for what fits."),
    Slip.WEAK: ("distractor_quality", "One option is implausible; nobody would choose it."),
    Slip.LETTERED: ("distractor_quality", "The options carry letters of their own."),
}


def write(prompt: Prompt) -> str:
    """A first draft has the slips that no guidance prevents; a later one mends in it what it is told."""
    given, told = case(prompt.source), prompt.instructions
    if prompt.draft is None:
        slips = frozenset(
            slip
            for slip in Slip
            if falls(rate(slip, prompt.subcategory), given.text, slip) and not _prevented(slip, told, prompt)
        )
    else:
        component = TOLD.search(prompt.feedback)
        slips = frozenset(
            slip
            for slip in slips_in(given, prompt.draft)
            if not _mended(slip, component[1] if component else "", told, prompt)
        )
    return json.dumps(question(given, slips), ensure_ascii=False)


def judge(prompt: Prompt) -> str:
    """Scores that are low where it happens to see a slip."""
    given, told = case(prompt.source), prompt.instructions
    seen = [slip for slip in slips_in(given, prompt.draft or {}) if slip in SAID and _catches(slip, told, prompt)]
    lowered = {SAID[slip][0]: SAID[slip][1] for slip in sorted(seen)}
    best, why = (0.68, "It suffers from what is named elsewhere.") if lowered else (0.95, "As it should be.")
    return json.dumps(
        {
            name: {"score": 0.2, "feedback": lowered[name]}
            if name in lowered
            else {"score": _score(best, given, name), "feedback": why}
            for name in DIMENSIONS
        }
    )


def _score(best: float, given: Case, name: str) -> float:
    """Up to 0.15 below the best."""
    return round(best - round(coin(given.text, "score", name) * 3) * 0.05, 2)


def _warned(slip: Slip, told: str) -> bool:
    words = told if slip == Slip.MISSING else QUOTE.sub("", told)
    return slip in TELLING and TELLING[slip].search(words) is not None


def _prevented(slip: Slip, told: str, prompt: Prompt) -> bool:
    return _warned(slip, told) and falls(CURE_RATE, prompt.source, "cure", slip, prompt.turn)


def _mended(slip: Slip, component: str, told: str, prompt: Prompt) -> bool:
    """Of the component that is made anew nearly all, and of a whole question what the prompt names."""
    if component == COMPONENT[slip] or (slip in REMARKS and REMARKS[slip].search(prompt.feedback)):
        return falls(REMARK_CURE_RATE, prompt.source, "mend", slip, prompt.turn)
    return _prevented(slip, told, prompt)


def _catches(slip: Slip, told: str, prompt: Prompt) -> bool:
    catch = GUIDED_CATCH_RATE if _warned(slip, told) else CATCH_RATE
    return falls(catch, prompt.source, "judge", slip, prompt.turn)
