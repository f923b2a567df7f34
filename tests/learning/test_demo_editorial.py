"""The demo's editorials and their reviewer by rules."""

import pytest

from generation.flows.editorial.source import Source, render
from generation.models import Run
from generation.providers.demo.editorial.compose import compose
from generation.providers.demo.editorial.mistakes import make_mistakes, written
from generation.providers.demo.faults import Fault
from generation.reading import first_object
from learning.demo.editorial import CATEGORY, REVIEWED, load, pages, review
from learning.demo.loading import reviewers

SIGNALS = {
    Fault.UNIT_SLIP: "wrong_physical_dimensions",
    Fault.WRONG_INFORMATION: "wrong_information",
    Fault.LOOSE_FORM: "bad_format",
    Fault.MISSING: "missing_spec",
}


def test_the_topics_are_sources_of_the_flow_and_all_different() -> None:
    found = pages()
    assert {page.subcategory for page in found} == set(CATEGORY)
    assert len({page.source["keyword"] for page in found}) == len(found) >= 10
    for page in found:
        Source.model_validate(page.source)


def test_rules_approve_every_faultless_page() -> None:
    for page in pages():
        fields = review(page.source, compose(render(page.source)))
        assert (fields.decision, fields.information_present, fields.notes) == ("approve", True, "")


@pytest.mark.parametrize("fault", Fault)
def test_rules_name_the_fault_and_no_other(fault: Fault) -> None:
    page = pages()[0]
    text = written(
        make_mistakes(render(page.source), frozenset({fault})),
        render(page.source),
        loose=fault == Fault.LOOSE_FORM,
    )
    record = first_object(text) or {}
    fields = page.review(record, False)
    assert [name for name in SIGNALS.values() if getattr(fields, name)] == [
        name for key, name in SIGNALS.items() if key == fault
    ]
    assert fields.information_present is (fault != Fault.GIVING_UP)
    assert (fields.decision, page.review(record, True).decision) == ("revise", "reject") and fields.notes


@pytest.mark.django_db
def test_load_leaves_reviews_and_a_queue() -> None:
    load(reviewers())
    for slug, reviewed in REVIEWED.items():
        found = Run.objects.filter(flow="editorial", subcategory__slug=slug)
        assert found.reviewed().count() == reviewed
        assert found.filter(status="queued").count() == found.count() - reviewed > 0
    corrected = Run.objects.filter(flow="editorial", judge_outcome="corrected")
    assert (
        corrected.exists()
        and Run.objects.filter(judgements__kind="criteria", judgements__outcome="failed").exists()
    )
