"""The other end of the network: it makes good drafts, and keeps the judge from judging."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.test import override_settings

from generation import pipeline, runs
from generation.intake import parse
from generation.models import Batch, Run, Subcategory
from tests.generation import editorials
from tests.generation.change.conftest import BEAD
from tests.generation.change.programs import said
from tests.generation.providers.test_pipeline_runs import RECORD
from tests.generation.question import records
from tests.messages_api import MessagesApi, Reply, message

TIMEOUT = 0.3  # seconds that a judge may take where it shall take too long
PROSE = "I would rather say nothing of it."  # where JSON is asked for, the provider itself cannot read it
RUBBISH = '{"mood": "fine"}'
UNUSABLE = "the judge's answer could not be used"
NO_VERDICT = "the judge's answer held no valid verdict"
CRITERIA = json.dumps({"criteria": [editorials.given("hallucination"), editorials.given("fact_accuracy")]})


@dataclass(frozen=True)
class Flow:
    """drafts: the answers before the judge is asked; passes, partial: the judge's, whole and without a part."""

    name: str
    drafts: tuple[str, ...]
    passes: str
    partial: str
    source: Mapping[str, Any]
    status: str  # of a run that nobody could judge
    told: Mapping[str, str]  # cause → the words for it, where they are the flow's own


FLOWS = (
    Flow(
        "item", (json.dumps(RECORD),), "PASS", "The record agrees with its source.", {"title": "Drill"},
        "needs_human_review", {"prose": UNUSABLE, "a part left out": UNUSABLE},
    ),
    Flow(
        "editorial", (json.dumps(editorials.LAYOUT), json.dumps({"mentions": editorials.MENTIONS})),
        editorials.PASS, CRITERIA, editorials.SOURCE, "needs_human_review", {},
    ),
    Flow(
        "question", (records.question(),), records.scores(), records.scores(blooms_match=None), records.SOURCE,
        "needs_human_review", {},
    ),
    Flow(
        "change", (), said("pass"), '{"verdict": "pass"}', {"bead": BEAD, "repository": "shop"},
        "failed", {"rubbish": NO_VERDICT, "a part left out": NO_VERDICT},
    ),
)  # fmt: skip
BY_NAME = {flow.name: flow for flow in FLOWS}
CAUSES = {
    "a time-out": "the provider took too long to answer",
    "unreachable": "the provider could not be reached",
    "prose": "the answer could not be read",
    "rubbish": UNUSABLE,
    "a part left out": "the judge's answer left a part out",
}
PASSES = "passes"  # the control: no cause at all
Case = tuple[str, str]  # a flow's name and a cause
CASES: tuple[Case, ...] = tuple((flow.name, cause) for flow in FLOWS for cause in CAUSES)


def words(case: Case) -> str:
    """Why its judge could not judge, as people read it."""
    flow, cause = case
    return f"could not judge it: {BY_NAME[flow].told.get(cause, CAUSES[cause])}"


def judges(flow: Flow, cause: str) -> Reply:
    return {
        "a time-out": Reply(delay=60),
        "unreachable": Reply(drop=True),
        "prose": message(PROSE),
        "rubbish": message(RUBBISH),
        "a part left out": message(flow.partial),
        PASSES: message(flow.passes),
    }[cause]


def made(api: MessagesApi, case: Case, where: Subcategory, batch: Batch | None = None) -> Run:
    """A run to its end, as workers would bring it there: each attempt as soon as the last one has given up."""
    flow = BY_NAME[case[0]]
    api.replies(*map(message, flow.drafts), judges(flow, case[1]))
    body = {"flow": flow.name, "subcategory": where.slug, "source": flow.source, "options": {"review": True}}
    run = runs.create(parse(body), batch=batch)
    with override_settings(CALL_TIMEOUT_SECONDS=60, CALL_RETRIES=0):
        if case[1] == "a time-out":  # of the judge alone, however slow the machine is at the drafts
            api.at_last = partial(setattr, settings, "CALL_TIMEOUT_SECONDS", TIMEOUT)
            if not flow.drafts:
                api.at_last()
        while run.is_in_progress:
            Run.objects.filter(pk=run.pk).update(next_attempt_at=None)
            pipeline.generate(run.pk)
            run.refresh_from_db()
    api.at_last = lambda: None
    return run
