"""No statistic counts what a judge could not judge: with and without such runs they are the same bytes."""

import json
import re

import pytest
from django.test import Client

from generation.flows.item.check import approved_sizes
from generation.models import Run, Subcategory
from learning import examples
from learning.overview.figures import figures
from review import recording
from review.recording import Fields
from tests import people
from tests.callers import Caller
from tests.factories import RunFactory, SubcategoryFactory
from tests.messages_api import MessagesApi
from tests.unavailable.far_end import BY_NAME, PASSES, made
from tests.unavailable.reading import page

pytestmark = pytest.mark.django_db
STAGES = {"item": "extraction", "editorial": "editorial", "question": "question", "change": "change"}
REVIEWS = (Fields(decision="approve"), Fields(decision="reject", wrong_information=True))


def place(slug: str) -> Subcategory:
    found: Subcategory = SubcategoryFactory(slug=slug, name=slug)
    return found


def reviewed(far_end: MessagesApi, flow: str, cause: str, where: Subcategory) -> None:
    """Two runs, one approved and one rejected."""
    for number, fields in enumerate(REVIEWS):
        run = made(far_end, (flow, cause), where)
        recording.submit(run.pk, fields, reviewer=people.a_reviewer(f"{where.slug}-{number}"))


def told(flow: str, where: Subcategory, *, waiting: bool) -> bytes:
    """What callers are told of a subcategory, and the next prompt of it. waiting: also how many wait in it."""
    ask = Caller("read")
    stats, triggers = (ask.get(f"/subcategories/{where.slug}/{what}", flow=flow).json() for what in SHARES)
    listed = next(one for one in ask.get("/subcategories").json()["items"] if one["slug"] == where.slug)
    body = {"flow": flow, "stage": STAGES[flow], "subcategory": where.slug}
    prompt = ask("POST", "/prompts/resolve", body).json()
    del triggers["runs"], listed["category"]  # which ones they are
    if not waiting:
        del stats["counts"]["waiting"], listed["waiting"]
    known = [stats, triggers, listed, prompt["system"], prompt["user"], prompt["low_confidence"]]
    return json.dumps(known, sort_keys=True).replace(where.slug, "it").encode()


SHARES = ("stats", "triggers")


def figures_but_waiting() -> list[object]:
    """Of the overview, without how many wait and came, and what they cost."""
    return [one for one in figures() if str(one.name) in ("First-pass acceptance", "Reviewed today")]


@pytest.mark.parametrize("flow", BY_NAME)
def test_they_are_the_same_with_and_without_runs_that_nobody_could_judge(far_end: MessagesApi, flow: str) -> None:
    where = place("it-is-here")
    reviewed(far_end, flow, PASSES, where)
    client = people.reviewer()

    def all_of_it() -> list[object]:
        one = Run(flow=flow, subcategory=where)
        example = examples.find(flow, where.pk, but=None, budget=1600, tokens=1600)
        learnt = page(client, f"/learning/{where.slug}/?flow={flow}").partition('id="h-runs"')[2]
        return [told(flow, where, waiting=False), learnt, approved_sizes(one), example, figures_but_waiting()]

    before = all_of_it()
    for cause in ("rubbish", "a part left out"):
        made(far_end, (flow, cause), where)
    assert all_of_it() == before
    recording.submit(made(far_end, (flow, PASSES), where).pk, REVIEWS[1], reviewer=people.a_reviewer("sees"))
    assert all_of_it() != before, "a review counts, so the comparison sees what is counted"


@pytest.mark.parametrize("flow", BY_NAME)
def test_a_persons_review_counts_the_same_whatever_the_judge_could_do(far_end: MessagesApi, flow: str) -> None:
    judged, unjudged = place("where-it-was-judged"), place("where-nobody-judged")
    reviewed(far_end, flow, PASSES, judged)
    reviewed(far_end, flow, "rubbish", unjudged)
    assert told(flow, judged, waiting=True) == told(flow, unjudged, waiting=True)


def test_metrics_count_them_by_their_status_alone(far_end: MessagesApi) -> None:
    where = place("it-is-counted")
    made(far_end, ("item", "rubbish"), where)
    unjudged = Client().get("/metrics").content.decode()
    Run.objects.filter(subcategory=where).update(judge_outcome="needs_human_review", error=None)
    failed = Client().get("/metrics").content.decode()
    RunFactory(subcategory=where, status="approved")

    def counted(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.startswith(("foldback_runs", "foldback_review"))]

    def steady(text: str) -> list[str]:
        return [line for line in counted(text) if "age_seconds" not in line]

    assert steady(unjudged) == steady(failed) != steady(Client().get("/metrics").content.decode())
    assert re.search(r'status="needs_human_review"} [1-9]', unjudged) and "pass" not in "".join(counted(unjudged))
