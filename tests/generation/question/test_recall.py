"""How much of what is broken the structural rules catch in real questions, and how often they cry for nothing."""

import pytest

from tests.generation.question.broken import BREAKAGES, DATA, Breakage, Record, alarms, figures, records

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no clinical questions at {DATA}")
NAMES = ("medqa_us_test", "medmcqa_by_subject")
# What is caught at least, and at most cried for nothing, of each file's questions.
WHOLE = {
    "key dropped": (1, 1, 0, 0),
    "key swapped, options as they were": (1, 1, 0, 0),
    "key and options swapped: error": (0, 0.5, 0, 0),  # the first file explains nothing
    "key and options swapped: error or warning": (0, 0.65, 0, 0.06),
    "several options marked correct": (1, 1, 0, 0),
    "an option doubled": (1, 1, 0, 0.01),
    "an option lost": (1, 1, 0, 0),
    "vignette cut to six words": (1, 1, 0.01, 0.1),
    "vignette cut in the middle: warning": (0.95, 0.95, 0, 0),
    "stem lost": (0.7, 0.9, 0.01, 0.05),
}


@pytest.fixture(scope="module", params=NAMES)
def questions(request: pytest.FixtureRequest) -> tuple[int, list[Record]]:
    return NAMES.index(request.param), records(request.param)


def test_every_breakage_has_its_bounds() -> None:
    assert set(WHOLE) == {breakage.name for breakage in BREAKAGES}


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.name)
def test_recall_and_false_alarms(questions: tuple[int, list[Record]], breakage: Breakage) -> None:
    file, all_of_them = questions
    [figure] = figures(all_of_them, (breakage,))
    caught, alarmed = WHOLE[breakage.name][file], WHOLE[breakage.name][file + 2]
    assert figure.caught >= caught * figure.broken
    assert figure.false_alarms <= alarmed * figure.broken


@pytest.mark.parametrize(("severity", "bounds"), [("error", (0.01, 0.15)), ("warning", (0.05, 0.2))])
def test_unbroken_questions_are_left_alone(
    questions: tuple[int, list[Record]], severity: str, bounds: tuple[float, float]
) -> None:
    file, all_of_them = questions
    figure = alarms(all_of_them, severity)
    assert figure.false_alarms <= bounds[file] * figure.broken
