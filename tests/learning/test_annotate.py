"""The annotated prompt: nothing of it lost, each injected text with its cause."""

import pytest

from generation.guidance import Fragment
from generation.models import Call, Injection
from generation.placeholders import Segment, text_of
from learning.annotate import annotate, evidence_of, segments_of
from learning.triggers import decide
from learning.window import window
from tests.factories import RunFactory, SubcategoryFactory
from tests.learning.histories import history

TRIGGERED = Fragment("EXTRACTION_REVIEW", "Check sizes.", "wrong_physical_dimensions_trigger", "k", (1,))
OWN = Fragment("EXTRACTION_REVIEW", "Torque is missing.", "missing_spec", "k", (2,))
EXAMPLE = Fragment("EXAMPLE_ITEM", '{"name": "X"}', "example")


def said(segments: list[Segment]) -> list[tuple[str, str]]:
    """(tone, text) of each part; plain parts as one text."""
    parts = annotate("item", [], segments, None, {}).user
    return [(part.tone, part.text or "".join(piece.text for piece in part.pieces)) for part in parts]


@pytest.mark.parametrize(
    ("segments", "parts"),
    [
        ([Segment("Do it.")], [("", "Do it.")]),
        ([Segment("Do it.\n"), Segment("", "EXTRACTION_REVIEW")], [("", "Do it.")]),
        (
            [Segment("a\n"), Segment("x", "R", TRIGGERED), Segment("\n"), Segment("y", "R", OWN), Segment("\nb")],
            [("", "a"), ("attention", "Check sizes."), ("person", "Torque is missing."), ("", "b")],
        ),
        ([Segment("e", "EXAMPLE_ITEM", EXAMPLE)], [("machine", '{"name": "X"}')]),
    ],
)
def test_parts(segments: list[Segment], parts: list[tuple[str, str]]) -> None:
    assert said(segments) == parts


def test_long_own_words_fold_in_the_middle_and_lose_no_line() -> None:
    text = "\n".join(f"line {number}" for number in range(30))
    parts = annotate("item", [], [Segment(text)], None, {}).user
    assert [part.folded for part in parts] == [False, True, False]
    assert "\n".join("".join(piece.text for piece in part.pieces).strip("\n") for part in parts) == text


def test_examples_do_not_count_against_the_budget() -> None:
    segments = [Segment(f.text, "P", f) for f in (TRIGGERED, OWN, EXAMPLE)]
    annotated = annotate("item", [], segments, None, {})
    assert annotated.fragments == 3
    assert annotated.injected == len(TRIGGERED.text) + len(OWN.text)


@pytest.mark.django_db
def test_cause_count_and_reviews_behind_it() -> None:
    subcategory = SubcategoryFactory()
    runs = history(subcategory, [[{"wrong_physical_dimensions": True}], [{}], [{}]])
    seen = window("item", subcategory.pk)
    triggers = decide(seen)
    evidence = triggers["wrong_physical_dimensions_trigger"].evidence
    fragment = Fragment("P", "Check sizes.", "wrong_physical_dimensions_trigger", "k", evidence)
    [part] = annotate("item", [], [Segment("x", "P", fragment)], triggers.as_json(), evidence_of([fragment])).user
    assert (part.cause, part.count) == ("Wrong dimensions", "1 of 3 runs")
    assert [event.run for event in part.reviews] == [runs[0]]


@pytest.mark.django_db
def test_a_stored_call_is_cut_at_its_injections() -> None:
    call = Call.objects.create(
        run=RunFactory(),
        stage="extraction",
        provider="demo",
        system="Be exact.",
        user="Do it.\nCheck sizes.\nNow.",
    )
    Injection.objects.create(
        call=call,
        placeholder="EXTRACTION_REVIEW",
        guidance_key="k",
        text="Check sizes.",
        reason="wrong_physical_dimensions_trigger",
        evidence=[5],
    )
    system, user = segments_of(call)
    assert (text_of(system), text_of(user)) == (call.system, call.user)
    assert [segment.fragment and segment.fragment.evidence for segment in user] == [None, (5,), None]
