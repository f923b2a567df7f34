"""The demo's questions and their reviewer by rules."""

import pytest

from generation.flows.question.source import Source, render
from generation.models import Run
from generation.providers.demo.question.case import case, clean_question
from generation.providers.demo.question.mistakes import Slip, question
from learning.demo.loading import reviewers
from learning.demo.question import CATEGORY, REVIEWED, Exercise, exercises, load

SIGNALS = ("missing_spec", "bad_format", "wrong_information", "wrong_physical_dimensions")


def test_the_exercises_are_sources_of_known_subcategories() -> None:
    found = exercises()
    assert len(found) >= 15 and {one.subcategory for one in found} == set(CATEGORY)
    assert len({render(one.source) for one in found}) == len(found)
    for one in found:
        Source.model_validate(one.source)


@pytest.mark.parametrize("one", exercises(), ids=lambda one: one.source["objective"])
def test_rules_approve_every_faultless_question(one: Exercise) -> None:
    assert one.review(clean_question(case(render(one.source))), False).decision == "approve"


@pytest.mark.parametrize(
    ("slip", "signal"),
    [
        (Slip.MIXED_UP, "wrong_information"),
        (Slip.FIGURE, "wrong_physical_dimensions"),
        (Slip.MISSING, "missing_spec"),
        (Slip.LETTERED, "bad_format"),
        (Slip.THIN, ""),
        (Slip.WEAK, ""),
    ],
)
def test_rules_name_the_slip_and_no_other(slip: Slip, signal: str) -> None:
    one = exercises()[0]
    record = question(case(render(one.source)), frozenset({slip}))
    fields = one.review(record, False)
    assert [name for name in SIGNALS if getattr(fields, name)] == ([signal] if signal else [])
    assert (fields.decision, fields.information_present) == ("revise", slip != Slip.THIN)
    assert fields.notes
    assert one.review(record, True).decision == "reject"


@pytest.mark.django_db
def test_load_leaves_reviews_and_a_queue() -> None:
    load(reviewers())
    for slug, reviewed in REVIEWED.items():
        runs = Run.objects.filter(flow="question", subcategory__slug=slug)
        assert runs.reviewed().count() == reviewed
        assert runs.filter(status="queued").count() == runs.count() - reviewed
