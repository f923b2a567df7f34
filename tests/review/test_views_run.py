"""The page of a run: reviewing, holding, skipping, undoing, and what it shows before and after."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from generation.models import Draft, Injection, Run, Status
from review.models import Claim, ReviewEvent, ReviewForm
from tests import scenes
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory
from tests.review.reviews import FILLED

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


def another(**given: Any) -> Run:
    run: Run = RunFactory(**given)
    DraftFactory(run=run)
    return run


def test_source_record_findings_and_form_are_on_the_page(web: Client, run: Run) -> None:
    text = web.get(f"/runs/{run.pk}/").text
    for words in (
        "Nordhaus AB 18-60 Li", "line 9 reads 194 mm", "9.8 times the median of 41", "not in source",
        "The record mixes two machines", "size check flags length", "The judge failed it after 1 fix",
        "Choose a decision", "Approve and next", "Send back and next", "1 of 1",
    ):  # fmt: skip
        assert words in text


def test_a_new_round_shows_what_the_last_one_was_sent_back_for(web: Client, run: Run) -> None:
    web.post(f"/runs/{run.pk}/review/", FILLED | {"decision": "revise"})
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW)
    text = web.get(f"/runs/{run.pk}/").text
    for words in (
        "Mara Koch sent round 1 back",
        "wrong dimensions: yes",
        'missing: <span dir="auto">Charging time',
        "Line 7.",
    ):
        assert words in text


def test_the_notice_leads_to_the_prompt_or_to_the_next_round(web: Client, run: Run) -> None:
    other = another()
    web.post(f"/runs/{run.pk}/review/", FILLED | {"decision": "revise"})
    page = web.get(f"/runs/{other.pk}/?done={run.pk}").text
    assert f'<a href="/runs/{run.pk}/">Follow its next round</a>' in page
    third = another()
    web.post(f"/runs/{other.pk}/review/", FILLED | {"revision": "1"})
    assert f'href="/runs/{other.pk}/#learning"' in web.get(f"/runs/{third.pk}/?done={other.pk}").text


def test_a_decided_run_leads_back_into_the_queue(web: Client, run: Run) -> None:
    another()
    Run.objects.filter(pk=run.pk).update(status=Status.APPROVED)
    assert "Review next" in web.get(f"/runs/{run.pk}/").text


def test_opening_claims_the_run(web: Client, run: Run, me: User) -> None:
    web.get(f"/runs/{run.pk}/")
    assert Claim.objects.get(run=run).reviewer == me


def test_nothing_of_learning_shows_before_submitting(web: Client, run: Run) -> None:
    scenes.trail(run)
    call = run.calls.first()
    assert call
    Injection.objects.create(call=call, placeholder="EXTRACTION_REVIEW", text="Check every size.", reason="x")
    Run.objects.filter(pk=run.pk).update(arm="control", trigger_state={"bad_format_trigger": True})
    text = web.get(f"/runs/{run.pk}/").text
    for words in ("Check every size.", "bad_format_trigger", "data-strip", "run-learning", "/learning/run/"):
        assert words not in text
    Run.objects.filter(pk=run.pk).update(status=Status.APPROVED)
    assert f"/learning/run/{run.pk}/" in web.get(f"/runs/{run.pk}/").text


def test_a_submission_is_recorded_as_it_was_filled(web: Client, run: Run, me: User) -> None:
    moved_to = SubcategoryFactory(slug="hammer-drills")
    following = another()
    response = web.post(f"/runs/{run.pk}/review/", FILLED | {"subcategory": moved_to.slug})
    assert response.headers["Location"] == f"/runs/{following.pk}/?done={run.pk}"
    event = ReviewEvent.objects.get(run=run)
    assert event.reviewer == me
    assert (event.decision, event.information_present, event.bad_format) == ("approve", False, True)
    assert (event.wrong_information, event.wrong_physical_dimensions) == (None, True)
    assert event.missing_spec == ["Charging time", "noise", "vibration", "grip"]
    assert event.notes == "Line 7.\n13 mm."
    assert event.corrections == {"subcategory": {"from": "cordless-drills", "to": "hammer-drills"}}


def test_the_subcategory_as_it_was_is_no_correction(web: Client, run: Run) -> None:
    web.post(f"/runs/{run.pk}/review/", FILLED | {"subcategory": "cordless-drills"})
    assert ReviewEvent.objects.get(run=run).corrections == {}


def test_the_notice_names_the_run_and_the_way_back(web: Client, run: Run) -> None:
    another()
    text = web.post(f"/runs/{run.pk}/review/", FILLED, follow=True).text
    assert "Approved Nordhaus AB 18-60 Li." in text
    assert f'action="/runs/{run.pk}/undo/"' in text
    assert 'id="after-' in text
    assert "repair task" not in text


def test_a_failed_history_write_is_told(web: Client, run: Run) -> None:
    another()
    web.post(f"/runs/{run.pk}/review/", FILLED)
    ReviewForm.objects.filter(run=run).update(event=None)
    text = web.get("/queue/", {"done": str(run.pk)}).text
    assert "the history entry will be written by the repair task" in text


@pytest.mark.parametrize(
    ("status", "admin", "told"),
    [
        ("awaiting_review", False, False),
        ("awaiting_review", True, False),  # on the review page an admin judges like everybody
        ("needs_human_review", True, False),
        ("failed", False, False),
        ("queued", False, False),
        ("queued", True, True),
        ("stopped", False, False),  # may be retried, and judged then
        ("stopped", True, True),
        ("approved", False, True),
        ("rejected", False, True),
    ],
)
def test_a_step_that_fell_back_is_told_to_nobody_who_may_still_judge_the_round(
    client: Client, run: Run, status: str, admin: bool, told: bool
) -> None:
    person = UserFactory(is_superuser=True) if admin else scenes.reviewer()
    client.force_login(person)
    Run.objects.filter(pk=run.pk).update(status=status, degradations=["example"])
    assert ("1 step fell back" in client.get(f"/runs/{run.pk}/").text) is told


def test_the_last_run_leads_back_to_the_queue(web: Client, run: Run) -> None:
    response = web.post(f"/runs/{run.pk}/review/", FILLED)
    assert response.headers["Location"] == f"/queue/?done={run.pk}"


def test_what_is_filled_in_is_kept(web: Client, run: Run, me: User) -> None:
    response = web.post(f"/runs/{run.pk}/form/", FILLED | {"decision": ""})
    assert "half-filled, saved" in response.text
    form = ReviewForm.objects.get(run=run, reviewer=me)
    assert (form.state, form.bad_format, form.decision) == ("half_filled", True, "")
    assert "13 mm.</textarea>" in web.get(f"/runs/{run.pk}/").text


def test_what_cannot_be_kept_half_filled_is_told(web: Client, run: Run) -> None:
    response = web.post(f"/runs/{run.pk}/form/", FILLED | {"notes": "x" * 4001})
    assert response.status_code == 409
    assert "At most 4000" in response.text


def test_a_run_held_by_another_shows_no_form(web: Client, run: Run) -> None:
    other = UserFactory(first_name="Rosa", last_name="Stein")
    Claim.objects.create(run=run, reviewer=other, expires_at=timezone.now() + timedelta(minutes=5))
    text = web.get(f"/runs/{run.pk}/").text
    assert "Rosa Stein is reviewing this run" in text
    assert 'id="review-form"' not in text


def test_the_heartbeat_renews_the_claim(web: Client, run: Run, me: User) -> None:
    soon = timezone.now() + timedelta(seconds=5)
    Claim.objects.create(run=run, reviewer=me, expires_at=soon)
    assert "yours for" in web.post(f"/runs/{run.pk}/claim/").text
    assert Claim.objects.get(run=run).expires_at > soon


def test_skipping_gives_it_back_and_opens_another(web: Client, run: Run) -> None:
    following = another()
    web.get(f"/runs/{run.pk}/")
    assert web.post(f"/runs/{run.pk}/skip/").headers["Location"] == f"/runs/{following.pk}/"
    assert not Claim.objects.filter(run=run).exists()
    # Everything skipped: the first comes again, rather than nothing.
    assert web.post(f"/runs/{following.pk}/skip/").headers["Location"] == f"/runs/{run.pk}/"


def test_moving_on_gives_an_untouched_run_back(web: Client, run: Run) -> None:
    following = another()
    web.get(f"/runs/{run.pk}/")
    moved = web.post(f"/runs/{run.pk}/leave/", {"to": str(following.pk)})
    assert moved.headers["Location"] == f"/runs/{following.pk}/"
    assert not Claim.objects.filter(run=run).exists()
    web.get(f"/runs/{following.pk}/")
    web.post(f"/runs/{following.pk}/form/", FILLED)
    web.post(f"/runs/{following.pk}/leave/", {"to": str(run.pk)})
    assert Claim.objects.filter(run=following).exists()


def test_looking_at_a_run_gives_no_other_back(web: Client, run: Run) -> None:
    """A link preview or a browser that fetches ahead must not free what somebody works on."""
    following = another()
    web.get(f"/runs/{run.pk}/")
    assert "no-store" in web.get(f"/runs/{following.pk}/", {"left": str(run.pk)}).headers["Cache-Control"]
    assert Claim.objects.filter(run=run).exists()


def test_undo_opens_the_run_as_it_was_filled(web: Client, run: Run) -> None:
    another()
    web.post(f"/runs/{run.pk}/review/", FILLED)
    response = web.post("/queue/undo/", follow=True)
    assert response.redirect_chain[-1][0] == f"/runs/{run.pk}/"
    assert "13 mm.</textarea>" in response.text
    assert web.post("/queue/undo/").headers["Location"] == "/queue/"


def test_undoing_what_moved_on_is_told(web: Client, run: Run) -> None:
    assert "no review of this run to take back" in web.post(f"/runs/{run.pk}/undo/", follow=True).text


def test_a_decided_run_tells_its_history(web: Client, run: Run) -> None:
    scenes.trail(run)
    web.post(f"/runs/{run.pk}/review/", FILLED)
    text = web.get(f"/runs/{run.pk}/").text
    for words in (
        "Approved",
        "wrong dimensions: yes",
        'missing: <span dir="auto">Charging time',
        "Revision 2",
        "Calls",
        "Mara Koch",
    ):
        assert words in text
    assert 'id="review-form"' not in text


@pytest.mark.parametrize("status", [Status.FAILED, Status.APPROVED])
def test_a_run_without_a_record_says_so(web: Client, status: Status) -> None:
    run = RunFactory(status=status, revision=0, error={"code": "x", "detail": "The provider was unreachable"})
    text = web.get(f"/runs/{run.pk}/").text
    assert "The provider was unreachable" in text
    assert "ended without a record" in text


@pytest.mark.parametrize(
    ("action", "status", "becomes", "button"),
    [
        ("retry", Status.REJECTED, "queued", "Generate again"),
        ("cancel", Status.GENERATING, "stopped", "Cancel this run"),
    ],
)
def test_steering_is_for_admins(
    web: Client, client: Client, run: Run, action: str, status: Status, becomes: str, button: str
) -> None:
    Run.objects.filter(pk=run.pk).update(status=status)
    assert button not in web.get(f"/runs/{run.pk}/").text
    assert web.post(f"/runs/{run.pk}/{action}/").status_code == 403
    assert Run.objects.get(pk=run.pk).status == status
    client.force_login(UserFactory(is_superuser=True, is_staff=True))
    assert button in client.get(f"/runs/{run.pk}/").text
    client.post(f"/runs/{run.pk}/{action}/")
    assert Run.objects.get(pk=run.pk).status == becomes


def test_retrying_where_it_is_not_allowed_is_told(client: Client, run: Run) -> None:
    client.force_login(UserFactory(is_superuser=True, is_staff=True))
    response = client.post(f"/runs/{run.pk}/retry/", follow=True)
    assert response.status_code == 200
    assert "notice--warning" in response.text


def test_who_reviews_a_decided_run_again_is_not_told_what_fell_back(client: Client, run: Run) -> None:
    client.force_login(UserFactory(is_superuser=True))
    Run.objects.filter(pk=run.pk).update(status="approved", degradations=["example"])
    assert "fell back" not in client.get(f"/runs/{run.pk}/?again=1").text


def test_an_adjudicator_may_review_a_decided_run_again(client: Client, run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(status=Status.APPROVED)
    boss = UserFactory(is_superuser=True, is_staff=True)
    client.force_login(boss)
    assert "?again=1" in client.get(f"/runs/{run.pk}/").text
    assert 'id="review-form"' in client.get(f"/runs/{run.pk}/?again=1").text


@pytest.mark.parametrize("left", ["x", "", "00000000-0000-7000-8000-000000000000"])
def test_nonsense_in_the_address_is_ignored(web: Client, run: Run, left: str) -> None:
    assert web.get(f"/runs/{run.pk}/", {"flow": left, "subcategory": left, "done": left}).status_code == 200
    assert web.post(f"/runs/{run.pk}/leave/", {"to": left}).status_code == 302


def test_an_unknown_run_is_not_found(web: Client) -> None:
    unknown = UUID("00000000-0000-7000-8000-000000000000")
    assert web.get(f"/runs/{unknown}/").status_code == 404


@pytest.mark.parametrize(
    "action", ["review", "form", "claim", "skip", "leave", "undo", "retry", "cancel", "release"]
)
def test_outsiders_can_do_nothing(client: Client, run: Run, action: str) -> None:
    client.force_login(UserFactory())
    assert client.post(f"/runs/{run.pk}/{action}/", FILLED).status_code == 403


def test_queries_do_not_grow(web: Client, run: Run, django_assert_max_num_queries: Any) -> None:
    web.get(f"/runs/{run.pk}/")
    with django_assert_max_num_queries(QUERIES) as few:
        web.get(f"/runs/{run.pk}/")
    RunFactory.create_batch(60, subcategory=run.subcategory)
    Draft.objects.create(run=run, revision=3, content=scenes.DRILL, findings=scenes.FINDINGS * 30)
    with django_assert_max_num_queries(len(few)):
        web.get(f"/runs/{run.pk}/")


QUERIES = 32


def test_what_another_has_half_filled_is_theirs_alone(web: Client, run: Run) -> None:
    theirs = Client()
    theirs.force_login(scenes.reviewer("rosa"))
    theirs.post(f"/runs/{run.pk}/form/", FILLED | {"notes": "Rosa's own words", "missing_spec": ["grip by Rosa"]})
    Claim.objects.all().delete()
    for address in (f"/runs/{run.pk}/", f"/runs/{run.pk}/progress/", "/queue/"):
        assert "Rosa" not in web.get(address).text.replace("Rosa Stein", "")
    web.post(f"/runs/{run.pk}/form/", FILLED | {"notes": "mine"})
    assert sorted(ReviewForm.objects.values_list("notes", flat=True)) == ["Rosa's own words", "mine"]
    Claim.objects.all().delete()
    assert "Rosa&#x27;s own words" in theirs.get(f"/runs/{run.pk}/").text
    Claim.objects.all().delete()
    web.post(f"/runs/{run.pk}/review/", FILLED | {"notes": "mine"})
    assert "own words" not in web.get(f"/runs/{run.pk}/").text
    assert ReviewForm.objects.get(notes="Rosa's own words").state == "half_filled"
