"""All that happened to a run, in order, each entry with the way to its evidence."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Call, Draft, Judgement, Run, Status
from generation.progress import status_changed
from review import queue, recording, setting_aside
from review.recording import Fields
from tests import scenes
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db
APPROVE = Fields(decision="approve", values={"/name": "Better"})


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory(title="A drill")
    status_changed(made.pk, Status.GENERATING, 1)
    Call.objects.create(run=made, stage="extraction", provider="demo", duration_ms=1500, answer="{}")
    draft = Draft.objects.create(run=made, revision=1, content={"name": "Drill"}, made_by="extraction")
    Judgement.objects.create(
        run=made, draft=draft, round=1, cycle=1, kind="supervisor", outcome="passed", result={}
    )
    status_changed(made.pk, Status.AWAITING_REVIEW, 1)
    return made


def told(web: Client, run: Run) -> list[str]:
    page = web.get(f"/runs/{run.pk}/").text
    part = page.split('class="fold chronicle"')[1].split("</details>")[0]
    lines = re.findall(r"<li>.*?</svg>(.*?)</li>", part, re.S)
    ids = set(re.findall(r'id="([\w-]+)"', page))
    assert set(re.findall(r'href="#([\w-]+)"', "".join(lines))) <= ids
    return [" ".join(re.sub(r"<[^>]+>", "", line).split()) for line in lines]


def test_in_the_order_in_which_it_happened(web: Client, me: User, run: Run) -> None:
    recording.submit(run.pk, replace(APPROVE, notes="n"), reviewer=me)
    assert told(web, run) == [
        "Made",
        "Generating",
        "Extraction answered after 1.5 s",
        "Extraction wrote revision 1",
        "The judge passed",
        "Awaiting review",
        "Mara Koch wrote revision 2",
        "Mara Koch approved it",
        "Approved",
    ]


def test_what_was_taken_back_stays_in_it(web: Client, me: User, run: Run) -> None:
    recording.submit(run.pk, APPROVE, reviewer=me)
    recording.undo(run.pk, me)
    recording.submit(run.pk, Fields(decision="reject"), reviewer=me)
    lines = told(web, run)
    assert "Mara Koch wrote revision 2, taken back since" in lines
    assert lines.index("Mara Koch approved it") < lines.index("Mara Koch took review 1 back")
    assert lines.index("Mara Koch took review 1 back") < lines.index("Mara Koch rejected it")


def test_a_failed_call_says_why(web: Client, me: User, run: Run) -> None:
    Call.objects.update(error={"code": "timeout", "detail": "x"}, answer="")
    recording.submit(run.pk, APPROVE, reviewer=me)
    assert "Extraction was asked, and failed: timeout" in told(web, run)


def test_setting_aside_and_putting_back(web: Client, me: User, run: Run) -> None:
    admin = scenes.reviewer("ada", "Ada", "Lind", staff=True)
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    admin = User.objects.get(pk=admin.pk)
    setting_aside.set_aside(run.pk, admin, why="a test piece")
    setting_aside.put_back(run.pk, admin)
    recording.submit(run.pk, APPROVE, reviewer=me)
    lines = told(web, run)
    assert lines.index("Ada Lind set aside: a test piece") < lines.index("Ada Lind put back")


def test_who_held_it_and_how_that_ended(web: Client, me: User, run: Run) -> None:
    tom = scenes.reviewer("tom", "Tom", "Beck")
    assert queue.claim_next(tom)
    queue.claim_next(tom)  # its renewal is no news
    queue.renew(run.pk, tom)
    queue.release(run.pk, tom)
    queue.release(run.pk, tom)
    queue.take(run.pk, tom)
    assert queue.free(run.pk, by=me) and not queue.free(run.pk, by=me)
    queue.take(run.pk, tom, seconds=0)
    assert queue.claim_next(me)
    recording.submit(run.pk, APPROVE, reviewer=me)
    assert [line for line in told(web, run) if "took it" in line or "gave it" in line] == [
        "Tom Beck took it up for review",
        "Tom Beck gave it back",
        "Tom Beck took it up for review",
        "Mara Koch took it from Tom Beck",
        "Tom Beck took it up for review",
        "Mara Koch took it up for review",
    ]


def test_as_many_queries_for_a_long_past(web: Client, me: User, run: Run) -> None:
    recording.submit(run.pk, APPROVE, reviewer=me)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            web.get(f"/runs/{run.pk}/")
        return len(found)

    few = queries()
    for number in range(3, 60):
        status_changed(run.pk, Status.FIXING, 1)
        Draft.objects.create(run=run, revision=number, content={"name": "x"}, made_by="person", author=me)
    assert queries() == few
