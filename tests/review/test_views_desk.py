"""The way from run to run without a page load: the body that waits unseen, and when it may be shown."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation.models import Draft, Run, Status
from review import queue, recording
from review.models import Claim, ReviewEvent, ReviewForm
from review.recording import Fields
from tests import scenes
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
DESK = {"HX-Request": "true", "HX-Target": "desk"}
APPROVE = {"decision": "approve", "revision": "1"}


def waiting(title: str, **given: Any) -> Run:
    run: Run = RunFactory(title=title, **given)
    DraftFactory(run=run)
    return run


@pytest.fixture
def three() -> list[Run]:
    runs = [waiting(title) for title in ("First", "Second", "Third")]
    for days, run in enumerate(reversed(runs), 1):
        Run.objects.filter(pk=run.pk).update(changed_at=Now() - timedelta(days=days))
    return [Run.objects.get(pk=run.pk) for run in runs]


@pytest.fixture
def rosa() -> User:
    return scenes.reviewer("rosa", "Rosa", "Stein")


def ask(web: Client, path: str, data: dict[str, str] | None = None) -> Any:
    return web.post(path, data or {}, headers=DESK)


def ahead(web: Client, shown: Run, query: str = "") -> Any:
    return ask(web, f"/queue/ahead/{query}", {"shown": str(shown.pk)})


def submitted(web: Client, run: Run, next_: Run | None = None, **more: str) -> Any:
    waits = {"ahead": str(next_.pk), "stamp": queue.stamp_of(next_)} if next_ else {}
    return ask(web, f"/runs/{run.pk}/review/", APPROVE | waits | more)


def seconds_left(run: Run) -> float:
    left: timedelta = Claim.objects.annotate(left=queue_left()).values_list("left", flat=True).get(run=run)
    return left.total_seconds()


def queue_left() -> Any:
    from django.db.models import DurationField, ExpressionWrapper, F

    return ExpressionWrapper(F("expires_at") - Now(), output_field=DurationField())


def test_the_next_runs_body_comes_ahead_and_is_held_for_a_minute(web: Client, three: list[Run], me: User) -> None:
    web.get(f"/runs/{three[0].pk}/")
    text = ahead(web, three[0]).text
    assert f'data-run="{three[1].pk}"' in text and 'id="review-form"' in text
    assert "<html" not in text and "<script" not in text
    assert Claim.objects.get(run=three[1]).reviewer == me
    assert 50 < seconds_left(three[1]) <= 60 < 500 < seconds_left(three[0])


def test_asking_again_gives_the_same_run_and_holds_no_other(web: Client, three: list[Run]) -> None:
    web.get(f"/runs/{three[0].pk}/")
    for _ in range(2):
        assert f'data-run="{three[1].pk}"' in ahead(web, three[0]).text
    assert Claim.objects.count() == 2


def test_skipped_runs_do_not_come_ahead_and_nothing_is_no_content(web: Client, three: list[Run]) -> None:
    ask(web, f"/runs/{three[1].pk}/skip/")
    assert f'data-run="{three[2].pk}"' in ahead(web, three[0]).text
    Run.objects.filter(pk__in=[three[1].pk, three[2].pk]).update(status=Status.APPROVED)
    assert ahead(web, three[0]).status_code == 204


def test_what_another_holds_does_not_come_ahead(web: Client, three: list[Run], rosa: User) -> None:
    queue.take(three[1].pk, rosa)
    assert f'data-run="{three[2].pk}"' in ahead(web, three[0]).text


def test_the_scope_goes_with_the_person(web: Client, three: list[Run]) -> None:
    scales = SubcategoryFactory(slug="scales")
    wanted = [waiting(title, subcategory=scales) for title in ("One", "Two")]
    query = "?subcategory=scales"
    text = web.post("/queue/next/", {"subcategory": "scales"}, follow=True).text
    assert f'action="/runs/{wanted[0].pk}/review/{query}"' in text and "1 of 2" in text
    text = ahead(web, wanted[0], query).text
    assert f'data-run="{wanted[1].pk}"' in text
    assert f'data-address="/runs/{wanted[1].pk}/{query}"' in text
    assert ahead(web, wanted[0], "?flow=question").status_code == 204
    done = ask(web, f"/runs/{wanted[0].pk}/review/{query}", APPROVE)
    assert f'data-run="{wanted[1].pk}"' in done.text, "and not one of the three that waited longer"


def test_a_submission_shows_the_body_that_waits(web: Client, three: list[Run]) -> None:
    web.get(f"/runs/{three[0].pk}/")
    ahead(web, three[0])
    answer = submitted(web, three[0], three[1])
    assert (answer.status_code, answer.headers["Desk"]) == (200, "kept")
    for words in ("Approved First.", "1 today", "1 of 2", "yours for 9 min", "data-undo", "No strip moved"):
        assert words in answer.text
    assert 'id="review-form"' not in answer.text
    assert ReviewEvent.objects.get().run == three[0]
    assert seconds_left(three[1]) > 500


def test_the_minute_may_have_passed_where_nobody_came(web: Client, three: list[Run]) -> None:
    ahead(web, three[0])
    Claim.objects.filter(run=three[1]).update(expires_at=Now() - timedelta(seconds=1))
    assert submitted(web, three[0], three[1]).headers["Desk"] == "kept"
    assert seconds_left(three[1]) > 500


def lost_to_another(run: Run, rosa: User) -> None:
    Claim.objects.filter(run=run).delete()
    queue.take(run.pk, rosa)


def decided_by_another(run: Run, rosa: User) -> None:
    Claim.objects.filter(run=run).delete()
    recording.submit(run.pk, Fields(decision="approve"), reviewer=rosa)


def redrawn(run: Run, rosa: User) -> None:
    Draft.objects.create(run=run, revision=2, content={"name": "Better"})
    Run.objects.filter(pk=run.pk).update(revision=2)


@pytest.mark.parametrize(
    ("change", "comes"), [(lost_to_another, "Third"), (decided_by_another, "Third"), (redrawn, "Second")]
)
def test_a_body_that_holds_no_more_is_replaced(
    web: Client, three: list[Run], rosa: User, change: Any, comes: str
) -> None:
    ahead(web, three[0])
    change(three[1], rosa)
    answer = submitted(web, three[0], three[1])
    assert (answer.status_code, answer.headers["Desk"]) == (200, "next")
    assert f'<h1 title="{comes}"' in answer.text and "Approved First." in answer.text
    assert not Claim.objects.filter(run__status=Status.APPROVED).exists()


@pytest.mark.parametrize("waits", [{}, {"ahead": "x", "stamp": "1"}, {"ahead": str(UUID(int=0)), "stamp": "1"}])
def test_without_a_body_that_waits_the_next_comes_whole(
    web: Client, three: list[Run], waits: dict[str, str]
) -> None:
    answer = submitted(web, three[0], None, **waits)
    assert answer.headers["Desk"] == "next" and '<h1 title="Second"' in answer.text


def test_an_adjudicator_is_not_shown_a_run_that_was_decided_meanwhile(
    client: Client, three: list[Run], rosa: User
) -> None:
    client.force_login(UserFactory(is_superuser=True))
    ahead(client, three[0])
    decided_by_another(three[1], rosa)
    assert '<h1 title="Third"' in submitted(client, three[0], three[1]).text


def test_the_last_one_leads_to_the_queue(web: Client) -> None:
    run = waiting("Only")
    answer = submitted(web, run)
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (200, f"/queue/?done={run.pk}")
    assert "Nothing more waits for you" in web.get("/queue/").text


def test_what_is_refused_comes_back_as_it_was_typed(web: Client, three: list[Run]) -> None:
    answer = submitted(web, three[0], None, notes="x" * 4001)
    assert answer.status_code == 422 and "At most 4000" in answer.text and "x" * 4001 in answer.text
    assert "<html" not in answer.text
    Run.objects.filter(pk=three[0].pk).update(revision=3)
    answer = submitted(web, three[0], None, notes="half a thought")
    assert answer.status_code == 409 and "Revision 1 was reviewed; the newest is 3." in answer.text
    assert "half a thought</textarea>" in answer.text


def test_a_second_submission_of_a_run_asks_for_the_page_that_tells(
    web: Client, three: list[Run], rosa: User
) -> None:
    decided_by_another(three[0], rosa)
    answer = submitted(web, three[0], three[1], notes="my own words")
    assert (answer.status_code, answer.headers["Desk"], answer.content) == (409, "load", b"")
    page = web.post(f"/runs/{three[0].pk}/review/", APPROVE | {"notes": "my own words"})
    assert page.status_code == 409
    for words in ("This run is approved", "Rosa Stein", "my own words"):
        assert words in page.text


def test_the_same_review_sent_twice_is_one_review(web: Client, three: list[Run]) -> None:
    for _ in range(2):
        assert submitted(web, three[0], three[1]).headers["Desk"] == "kept"
    assert ReviewEvent.objects.count() == 1


def test_skipping_shows_the_body_that_waits(web: Client, three: list[Run]) -> None:
    web.get(f"/runs/{three[0].pk}/")
    ahead(web, three[0])
    waits = {"ahead": str(three[1].pk), "stamp": queue.stamp_of(three[1])}
    answer = ask(web, f"/runs/{three[0].pk}/skip/", waits)
    assert answer.headers["Desk"] == "kept" and "data-undo" not in answer.text
    assert not Claim.objects.filter(run=three[0]).exists()
    assert f'data-run="{three[2].pk}"' in ahead(web, three[1]).text, "the skipped one comes last"


def test_undo_and_moving_answer_a_body(web: Client, three: list[Run]) -> None:
    submitted(web, three[0], None, notes="as I had it")
    answer = ask(web, "/queue/undo/")
    for words in ('<h1 title="First"', "as I had it</textarea>", "Taken back.", "0 today"):
        assert words in answer.text
    moved = ask(web, f"/runs/{three[0].pk}/leave/", {"to": str(three[1].pk)})
    assert '<h1 title="Second"' in moved.text
    assert Claim.objects.filter(run=three[0]).exists(), "something is typed into its form"
    assert ask(web, "/queue/undo/").headers["HX-Redirect"] == "/queue/"
    Run.objects.filter(pk=three[2].pk).update(status=Status.APPROVED)
    gone = ask(web, f"/runs/{three[1].pk}/leave/", {"to": str(three[2].pk)})
    assert gone.headers["HX-Redirect"] == f"/runs/{three[2].pk}/"


def test_a_revise_is_told_with_its_way_to_the_next_round(web: Client, three: list[Run]) -> None:
    answer = ask(web, f"/runs/{three[0].pk}/review/", APPROVE | {"decision": "revise"})
    assert "Sent First back." in answer.text and "Follow its next round" in answer.text


def test_ones_own_count_of_the_day(web: Client, three: list[Run], rosa: User) -> None:
    recording.submit(three[2].pk, Fields(decision="approve"), reviewer=rosa)
    assert "1 today" in submitted(web, three[0], three[1]).text
    before = ReviewForm.objects.get(run=three[0]).event
    assert before
    assert "2 today" not in web.get(f"/runs/{three[1].pk}/").text, "others' do not count"


def test_neither_request_grows_with_the_queue(web: Client, me: User) -> None:
    def cost() -> tuple[int, int]:
        runs = RunFactory.create_batch(2, status=Status.NEEDS_HUMAN_REVIEW, changed_at=Now() - timedelta(days=9))
        for run in runs:
            DraftFactory(run=run)
            run.refresh_from_db()
        web.get(f"/runs/{runs[0].pk}/")
        queue.take(runs[1].pk, me)
        with CaptureQueriesContext(connection) as prefetch:
            ahead(web, runs[0])
        with CaptureQueriesContext(connection) as submit:
            assert submitted(web, runs[0], runs[1]).headers["Desk"] == "kept"
        submitted(web, runs[1], None)
        Claim.objects.all().delete()
        return len(prefetch), len(submit)

    first = cost()
    RunFactory.create_batch(60)
    assert cost() == first and sum(first) <= QUERIES


QUERIES = 75


@pytest.mark.parametrize("path", ["/queue/ahead/", "/queue/next/", "/queue/undo/"])
def test_outsiders_get_nothing(client: Client, path: str) -> None:
    client.force_login(UserFactory())
    waiting("One")
    assert client.post(path, headers=DESK).status_code == 403
    assert not Claim.objects.exists()
