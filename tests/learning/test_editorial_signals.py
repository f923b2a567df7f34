"""Every signal on an editorial, from the form in the browser to the words in that flow's next stored prompts."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from generation import pipeline, prompts, runs
from generation.intake import parse
from generation.models import Injection, Run, Subcategory
from learning import guidance
from tests import scenes
from tests.factories import SubcategoryFactory
from tests.generation.editorials import SOURCE
from tests.learning.histories import history
from tests.learning.histories import said as reviewed

pytestmark = pytest.mark.django_db

# What the form sends → stage → words that the next round's prompt holds for it; the other stages hold nothing.
FORM: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    ({"information_present": "yes"}, {"editorial": ["Stay with these topics"]}),
    ({"information_present": "no"}, {"editorial": ["Look further"], "judge": ["Look further"]}),
    (
        {"missing_spec": ["Pull quote"], "missing_spec_more": "sources"},
        {
            "editorial": ["these first", "- Pull quote\n- sources"],
            "judge": ["these first", "- Pull quote\n- sources"],
        },
    ),
    ({"bad_format": "yes"}, {"editorial": ["Be strict"], "judge": ["Be strict"]}),
    (
        {"wrong_information": "yes"},
        {stage: ["Cross-check", "evidence"] for stage in ("editorial", "enrich", "judge")},
    ),
    ({"wrong_physical_dimensions": "yes"}, {"editorial": ["currency"], "judge": ["currency", "fact_accuracy"]}),
    ({"notes": "The coat is Kai."}, {stage: ["The coat is Kai."] for stage in ("editorial", "enrich", "judge")}),
    ({}, {}),
]
# What runs of the window raised → the words for a run of that flow and subcategory that nobody reviewed yet.
RAISED: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    ({"information_present": False}, FORM[1][1]),
    ({"missing_spec": ["Quote"]}, {"editorial": ["these first", "- Quote"], "judge": ["these first", "- Quote"]}),
    ({"bad_format": True}, FORM[3][1]),
    ({"wrong_information": True}, FORM[4][1]),
    ({"wrong_physical_dimensions": True}, FORM[5][1]),
    ({"information_present": True, "notes": "Not for others."}, {}),
]


@pytest.fixture
def subcategory(settings: Any) -> Subcategory:
    settings.FOLDBACK_PROVIDER = "demo"
    prompts.seed()
    guidance.seed()
    made: Subcategory = SubcategoryFactory(slug="slow-fashion", name="Slow fashion")
    return made


def generated(**source: Any) -> Run:
    run = runs.create(parse({"flow": "editorial", "subcategory": "slow-fashion", "source": SOURCE | source}))
    pipeline.generate(run.id)
    run.refresh_from_db()
    return run


def said(run: Run) -> dict[str, str]:
    """Stage → what learning put into its prompts in this round, as stored, its example aside."""
    found: dict[str, str] = {}
    for one in Injection.objects.filter(call__run=run, call__round=run.round).exclude(reason="example"):
        assert one.text in one.call.user and one.placeholder == f"{one.call.stage.upper()}_REVIEW"
        found[one.call.stage] = found.get(one.call.stage, "") + one.text
    return found


def holds(prompts_say: Mapping[str, str], expected: Mapping[str, list[str]]) -> None:
    assert set(prompts_say) == set(expected)
    for stage, words in expected.items():
        assert all(word in prompts_say[stage] for word in words), stage


@pytest.mark.parametrize(("form", "expected"), FORM)
def test_the_form_moves_the_next_round(
    client: Client, subcategory: Subcategory, form: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    client.force_login(scenes.reviewer())
    run = generated()
    client.get(f"/runs/{run.pk}/")  # which claims it
    page = client.post(f"/runs/{run.pk}/review/", {"decision": "revise", "revision": run.revision} | form)
    assert page.status_code == 302
    pipeline.generate(run.id)
    run.refresh_from_db()
    assert run.round == 2
    holds(said(run), expected)


@pytest.mark.parametrize(("review", "expected"), RAISED)
def test_the_window_moves_the_next_run_of_its_flow_alone(
    subcategory: Subcategory, review: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    history(subcategory, [[review]] * 10, flow="item")
    assert said(generated()) == {}  # items say nothing to editorials
    history(subcategory, [[review]] * 4 + [[{}]] * 6, flow="editorial")
    holds(said(generated(keyword="Rain")), expected)


def test_the_example_is_an_approved_editorial(subcategory: Subcategory) -> None:
    run = generated()
    history(subcategory, [[{"decision": "approve"}]], flow="item", status="approved")
    assert "an example of a good page" in run.calls.filter(stage="editorial")[0].user.lower()
    Run.objects.filter(pk=run.pk).update(status="approved")
    reviewed(run, decision="approve")
    other = generated(keyword="Rain")
    assert Injection.objects.get(call__run=other, reason="example").call.stage == "editorial"
