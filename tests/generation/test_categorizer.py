"""The categorizer: a known subcategory or a person's help, and a correction that stands."""

import json

import pytest

from generation import runs
from generation.models import Run, Subcategory
from tests.factories import SubcategoryFactory
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


def open_run() -> Run:
    SubcategoryFactory(slug="drills", name="Drills")
    return new_run(subcategory=None)


def test_the_categorizer_picks_a_known_subcategory(scripted: Scripted) -> None:
    scripted.play(categorizer='{"subcategory": "drills"}')
    run = generated(open_run())
    assert run.subcategory is not None and run.subcategory.slug == "drills"
    assert scripted.stages() == ["categorizer", "extraction", "supervisor"]
    assert "- drills: Drills (" in scripted.of("categorizer")[0].user
    assert "Drills (drills)" in scripted.of("extraction")[0].user


def test_a_run_is_generating_before_its_first_call(scripted: Scripted) -> None:
    seen: list[str] = []
    scripted.play(categorizer='{"subcategory": "drills"}')
    scripted.before = lambda request: seen.append(Run.objects.get().status)
    generated(open_run())
    assert seen == ["generating", "generating", "reviewing"]


def test_an_unknown_subcategory_is_asked_once_more(scripted: Scripted) -> None:
    scripted.play(categorizer=['{"subcategory": "<<SOURCE>>"}', '{"subcategory": "drills"}'])
    run = generated(open_run())
    assert run.subcategory is not None and run.status == "awaiting_review"


@pytest.mark.parametrize(
    "answer",
    [
        '{"subcategory": "ovens"}',
        '{"subcategory": null}',
        '{"subcategory": 7}',
        "no",
        r'{"subcategory": "a\u0000"}',
    ],
)
def test_a_subcategory_unknown_twice_goes_to_a_person(scripted: Scripted, answer: str) -> None:
    scripted.play(categorizer=answer)
    run = generated(open_run())
    assert (run.status, run.subcategory, run.revision) == ("needs_human_review", None, 1)
    assert run.error is not None and run.error["code"] == "unknown_subcategory"
    assert scripted.stages().count("categorizer") == 2


@pytest.mark.parametrize(
    ("supervisor", "outcome", "code"),
    [("FAIL: wrong", "needs_human_review", "fixes_exhausted"), ("?", "unavailable", "judge_unavailable")],
)
def test_how_the_loop_ended_goes_before_an_unknown_subcategory(
    scripted: Scripted, supervisor: str, outcome: str, code: str
) -> None:
    scripted.play(categorizer='{"subcategory": "ovens"}', supervisor=supervisor)
    run = generated(open_run())
    assert (run.status, run.judge_outcome) == ("needs_human_review", outcome)
    assert run.error is not None and run.error["code"] == code


def test_without_subcategories_nobody_is_asked(scripted: Scripted) -> None:
    run = new_run(subcategory=None)
    Run.objects.update(subcategory=None)
    Subcategory.objects.all().delete()
    assert generated(run).status == "awaiting_review" and "categorizer" not in scripted.stages()


def test_a_persons_correction_stands_in_every_later_round(scripted: Scripted) -> None:
    slugs = ("drills", "saws", "drills", "drills")  # it agrees once, and falls back
    scripted.play(categorizer=[json.dumps({"subcategory": slug}) for slug in slugs])
    run = generated(open_run())
    saws = SubcategoryFactory(slug="saws")
    Run.objects.filter(pk=run.pk).update(subcategory=saws, subcategory_corrected=True)
    for _round in slugs[1:]:
        runs.start_round(run.id)
        generated(run)
        assert run.subcategory == saws
    assert scripted.stages().count("categorizer") == len(slugs)


def test_the_categorizer_may_think_again_where_nobody_corrected_it(scripted: Scripted) -> None:
    scripted.play(categorizer=['{"subcategory": "drills"}', '{"subcategory": "saws"}'])
    run = generated(open_run())
    saws = SubcategoryFactory(slug="saws")
    runs.start_round(run.id)
    assert generated(run).subcategory == saws
