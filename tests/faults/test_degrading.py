"""A fault in each of the five points of learning: the prompt without that part, told everywhere, a whole run."""

from typing import Any

import pytest
from django.test import Client
from structlog.testing import capture_logs

from generation.models import Injection, Run
from review import recording
from review.recording import Fields
from tests import scenes
from tests.factories import SubcategoryFactory
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted, record
from tests.learning.histories import history

pytestmark = pytest.mark.django_db

TRIGGERS = {"missing_spec_trigger", "wrong_information_trigger"}
OWN = {"bad_format", "notes"}
# step → (where it breaks, what the prompt still says)
POINTS = {
    "normalisation": ("learning.own_review.of", {*TRIGGERS, "example"}),
    "window": ("learning.resolver.window", {*OWN, "example"}),
    "resolution": ("learning.resolver.controls", set()),
    "example": ("learning.resolver.examples.find", {*TRIGGERS, *OWN}),
    "sanitizer": ("learning.resolver.harmless", {*TRIGGERS, "bad_format", "example"}),
}


class Broken(Exception):
    """Its words hold what no log may hold."""


def breaks(*args: Any, **kwargs: Any) -> Any:
    raise Broken("Torque, says a secret note")


@pytest.fixture
def run(scripted: Scripted, settings: Any) -> Run:
    """In its second round: window, own review and an example all have something to say."""
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"
    drills = SubcategoryFactory(slug="drills")
    history(drills, [[{"missing_spec": ["Torque"], "wrong_information": True}]] * 10)
    me = scenes.reviewer()
    recording.submit(generated(new_run(subcategory="drills")).pk, Fields("approve"), reviewer=me)
    sent_back = generated(new_run(subcategory="drills"))
    recording.submit(sent_back.pk, Fields("revise", bad_format=True, notes="A secret note."), reviewer=me)
    scripted.play(extraction=record(name="second"), formatter=record(name="second"))
    return sent_back


def new_run(**body: Any) -> Run:
    from generation import runs
    from generation.intake import parse

    return runs.create(parse({"flow": "item", "source": {"title": "Makita DHP484"}} | body))


def said(run: Run) -> set[str]:
    """What spoke in the extraction of the second round."""
    return set(
        Injection.objects.filter(call__run=run, call__round=2, call__stage="extraction").values_list(
            "reason", flat=True
        )
    )


def test_without_a_fault_all_of_them_speak_and_nothing_is_marked(run: Run, client: Client) -> None:
    generated(run)
    assert said(run) == {*TRIGGERS, *OWN, "example"} and run.degradations == []
    client.force_login(scenes.reviewer("other"))
    assert "fell back" not in client.get(f"/runs/{run.pk}/").text


OF_NAMES = ("sanitizer", "learning.resolver.one_line", {"wrong_information_trigger", *OWN, "example"})


@pytest.mark.parametrize(("step", "place", "left"), [*((step, *of) for step, of in POINTS.items()), OF_NAMES])
def test_a_broken_step_costs_its_part_alone(
    run: Run, client: Client, monkeypatch: pytest.MonkeyPatch, step: str, place: str, left: set[str]
) -> None:
    monkeypatch.setattr(place, breaks)
    with capture_logs() as logs:
        generated(run)
    assert (run.status, run.revision) == ("awaiting_review", 2), "the run is whole"
    assert run.drafts.latest("revision").content["name"] == "second"
    assert said(run) == left
    assert run.degradations == [step]
    told = [line for line in logs if line["event"] == "guidance_step_fell_back"]
    assert {(line["step"], line["error"], line["run"]) for line in told} == {(step, "Broken", str(run.pk))}
    assert "secret" not in str(logs) and "Torque" not in str(logs)
    client.force_login(scenes.reviewer("other"))
    assert "fell back" not in client.get(f"/runs/{run.pk}/").text, "who still judges it does not know"
    Run.objects.filter(pk=run.pk).update(status="approved")
    assert "1 step fell back" in client.get(f"/runs/{run.pk}/").text
    assert f"fell back: {step}" in client.get(f"/learning/run/{run.pk}/").text


def test_where_all_of_learning_is_broken_the_prompt_is_the_unguided_one(
    run: Run, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    for place, _left in POINTS.values():
        monkeypatch.setattr(place, breaks)
    scripted.play()
    blind = generated(new_run(subcategory="drills"))
    assert generated(run).status == blind.status == "awaiting_review"
    assert run.degradations == blind.degradations == ["normalisation", "resolution"]
    broken = scripted.of("extraction")[0]
    scripted.play()
    settings.PROMPT_RESOLVER = ""
    generated(new_run(subcategory="drills"))
    unguided = scripted.of("extraction")[0]
    assert (broken.system, broken.user) == (unguided.system, unguided.user)
