"""Every flow is tried by the loop that makes its runs: the live wording makes again what it made."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from pytest_django.fixtures import Settings

from generation import pipeline, prompts, runs
from generation.intake import parse
from generation.models import Run, Subcategory, TriedRun
from tests.generation import editorials
from tests.generation.question import records
from tests.generation.trials.conftest import tried

pytestmark = pytest.mark.django_db
LINES = "Kestrel K1 drill\nVoltage: 18 V\nTorque: 40 Nm\nDimensions: 20 x 8 x 22 cm\nWeight: 1.4 kg"
BEAD = {"id": "W-1", "title": "Write what is missing", "status": "open", "priority": 1}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("item", "extraction", {"source": {"text": LINES}}),
    ("editorial", "editorial", {"source": editorials.SOURCE}),
    ("question", "question", {"source": records.SOURCE}),
    ("change", "change", {"source": {"bead": BEAD}, "options": {"review": True}}),
]


@pytest.fixture(params=CASES, ids=[case[0] for case in CASES])
def made(request: pytest.FixtureRequest, subcategory: Subcategory, settings: Settings) -> tuple[str, str, Run]:
    flow, stage, body = request.param
    settings.FOLDBACK_PROVIDER = "demo"
    run = runs.create(parse({"flow": flow, "subcategory": subcategory.slug, **body}))
    pipeline.generate(run.pk)
    run.refresh_from_db()
    assert run.revision >= 1, run.error
    return flow, stage, run


def test_the_live_version_makes_the_same_again(
    made: tuple[str, str, Run], subcategory: Subcategory, admin: User
) -> None:
    flow, stage, run = made
    one = tried(prompts.live(flow, stage), subcategory, [run], admin).runs.get()
    assert (one.status, one.judge_outcome, one.error) == (run.status, run.judge_outcome, run.error)
    drafts = run.drafts.order_by("revision").values("content", "findings", "made_by", "revision")
    assert without_time(one.drafts) == without_time(drafts)
    said = run.judgements.values("cycle", "outcome", "result", "kind", revision=F("draft__revision"))
    kept = [{name: value for name, value in j.items() if name != "correction_target"} for j in one.judgements]
    assert kept == list(said)
    calls = run.calls.order_by("id").values_list("cycle", "stage", "attempt", "system", "user")
    assert list(one.calls.values_list("cycle", "stage", "attempt", "system", "user")) == list(calls)


def without_time(drafts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A change names the commit that it began from, which is another each time where there is no repository."""
    return [
        {**draft, "content": {name: value for name, value in draft["content"].items() if name != "base"}}
        for draft in drafts
    ]


def test_a_judge_of_every_flow_is_tried_on_the_record(
    made: tuple[str, str, Run], subcategory: Subcategory, admin: User
) -> None:
    flow, _stage, run = made
    judge = {"item": "supervisor", "change": "reviewer"}.get(flow, "judge")
    tried(prompts.live(flow, judge), subcategory, [run], admin)
    one = TriedRun.objects.get()
    assert {call.stage for call in one.calls.all()} == {judge} and len(one.judgements) == 1
    draft = run.drafts.order_by("revision").last()
    assert draft is not None and one.drafts[0]["content"] == draft.content
