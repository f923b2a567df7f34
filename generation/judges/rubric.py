"""The rubric: structure by rule, weighted dimensions by a model, and the one component that is made anew."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from generation.flows.base import Finding
from generation.judges.base import INCOMPLETE, UNUSABLE, Judged
from generation.judges.quoting import quotable, texts_in
from generation.models import Draft
from generation.providers.base import ProviderError
from generation.reading import objects
from generation.work import Work

THRESHOLD = Decimal("0.7")  # of a run without an institution; the seed's
LONGEST_FEEDBACK = 1000  # characters, of one dimension; what a fix can still use
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """What a structural rule found. field: as people name it; pointer: where it stands in the record."""

    field: str
    code: str
    severity: Severity
    message: str
    pointer: str

    @property
    def finding(self) -> Finding:
        return {"field": self.pointer, "code": self.code, "severity": self.severity, "detail": self.message}


@dataclass(frozen=True)
class Dimension:
    """component: what is made anew where this dimension is the weakest."""

    name: str
    weight: Decimal
    component: str


@dataclass(frozen=True)
class Rubric:
    """What a flow's records are judged by.

    structure: every problem of a record's content. components: a problem's field → the component to make anew.
    pointers: a component → where it stands in the record. Weights that do not sum to 1 are refused (ValueError).
    """

    dimensions: tuple[Dimension, ...]
    structure: Callable[[Mapping[str, Any]], list[Problem]]
    components: Mapping[str, str]
    pointers: Mapping[str, str]
    stage: str = "judge"

    def __post_init__(self) -> None:
        weights = [dimension.weight for dimension in self.dimensions]
        if sum(weights) != 1 or min(weights) < 0:
            raise ValueError(f"the weights of a rubric must sum to 1: {', '.join(map(str, weights))}")


@dataclass(frozen=True)
class Score:
    """value: from 0 to 1, exactly as it was written."""

    dimension: Dimension
    value: Decimal
    feedback: str

    def __str__(self) -> str:
        return f"{self.dimension.name.replace('_', ' ')} {self.value}: {self.feedback or 'no reason given'}"


class Unreadable(Exception):
    """The answer holds no scores that could be weighed; its words say why."""

    code = UNUSABLE


class LeftOut(Unreadable):
    """It holds scores, but not all of them."""

    code = INCOMPLETE


def read(answer: str, dimensions: tuple[Dimension, ...], judged: Iterable[str] = ()) -> list[Score]:
    """The scores in an answer, one per dimension. Raises Unreadable.

    judged: the texts that were judged. Scores may be forged in them: those that the judge only quotes are not its
    own, and two objects that disagree are no scores.
    """
    names = [dimension.name for dimension in dimensions]
    quoted = quotable(judged, names)
    found = [one for one in objects(answer) if any(name in one for name in names) and one not in quoted]
    if not found:
        raise Unreadable("the judge's answer holds no scores of its own")
    if any(_values(one, names) != _values(found[0], names) for one in found[1:]):
        raise Unreadable("the judge's answer holds two sets of scores that disagree")
    return [_score(dimension, found[0].get(dimension.name)) for dimension in dimensions]


def _values(scores: Mapping[str, Any], names: list[str]) -> list[str]:
    given = [scores.get(name) for name in names]
    return [repr(one.get("score")) if isinstance(one, dict) else repr(one) for one in given]


def _score(dimension: Dimension, given: Any) -> Score:
    if given is None:
        raise LeftOut(f"the judge left out {dimension.name}")
    value = given.get("score") if isinstance(given, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(f"the judge's score of {dimension.name} is no number")
    if not 0 <= value <= 1:
        raise Unreadable(f"the judge's score of {dimension.name} is not between 0 and 1")
    feedback = given.get("feedback")
    words = " ".join(feedback.split()) if isinstance(feedback, str) else ""
    return Score(dimension, Decimal(str(value)), words[:LONGEST_FEEDBACK])


def mean(scores: list[Score]) -> Decimal:
    """The weighted mean. Exact, as floats are not: 0.3 + 0.2 + 0.2 + 0.2 + 0.1 is less than 1 in them."""
    weighed = sum((score.dimension.weight * score.value for score in scores), Decimal(0))
    return weighed / sum((score.dimension.weight for score in scores), Decimal(0))


def weakest(scores: list[Score]) -> Dimension:
    """That of the lowest score; of equal ones that of the heaviest weight, then the first."""
    return min(scores, key=lambda score: (score.value, -score.dimension.weight)).dimension


def weigh(rubric: Rubric, problems: list[Problem], scores: list[Score], threshold: Decimal) -> Judged:
    """Passed where no structural error stands and the mean reaches the threshold; else what is to be made anew."""
    errors = [problem for problem in problems if problem.severity == "error"]
    weak = [score for score in scores if score.value < threshold]
    composite = mean(scores)
    passed = composite >= threshold and not errors
    target = ""
    if not passed:
        target = rubric.components[errors[0].field] if errors else weakest(scores).component
    said = [*(problem.message for problem in errors), *(str(score) for score in weak)]
    return Judged(
        "passed" if passed else "failed",
        "" if passed else "\n".join(said),
        tuple(_finding(rubric, score, passed) for score in weak),
        _result(problems, scores, composite, threshold) | {"target": target},
        target,
    )


def _finding(rubric: Rubric, score: Score, passed: bool) -> Finding:
    return {
        "field": rubric.pointers[score.dimension.component],
        "code": score.dimension.name,
        "severity": "warning" if passed else "error",
        "detail": str(score),
    }


def _result(
    problems: list[Problem], scores: list[Score], composite: Decimal, threshold: Decimal
) -> dict[str, Any]:
    return {
        "dimensions": [
            {
                "name": score.dimension.name,
                "score": float(score.value),
                "weight": float(score.dimension.weight),
                "feedback": score.feedback,
            }
            for score in scores
        ],
        "composite_score": float(composite),
        "threshold": float(threshold),
        "passes_threshold": composite >= threshold,
        "validation": _validation(problems),
    }


def _validation(problems: list[Problem]) -> dict[str, Any]:
    return {
        "is_valid": not any(problem.severity == "error" for problem in problems),
        "errors": [
            {"field": problem.field, "message": problem.message, "severity": problem.severity}
            for problem in problems
        ],
    }


def judge(rubric: Rubric) -> Callable[[Work, Draft], Judged]:
    """The judge of a flow. The model is asked also where the structure is wrong: one fix hears everything."""

    def judged(work: Work, draft: Draft) -> Judged:
        problems = rubric.structure(draft.content)
        result = {"validation": _validation(problems)}
        try:
            call = work.ask(rubric.stage, draft=draft)
        except ProviderError as error:
            if error.retryable and not work.last_try:
                raise
            return Judged("unavailable", f"{error.code}: {error.detail}", result=result | {"code": error.code})
        try:
            scores = read(call.answer, rubric.dimensions, texts_in([draft.content, work.run.source]))
        except Unreadable as error:
            told = result | {"code": error.code, "answer": call.answer}
            return Judged("unavailable", str(error), result=told, call=call)
        return replace(weigh(rubric, problems, scores, threshold(work)), call=call)

    return judged


def threshold(work: Work) -> Decimal:
    institution = work.run.institution
    return THRESHOLD if institution is None else institution.quality_threshold
