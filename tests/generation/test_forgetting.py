"""Old prompts and answers are blanked; the run, its record and what it cost stay."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django.fixtures import Settings

from generation import runs
from generation.forgetting import forget_calls
from generation.guidance import GuidanceRequest
from generation.models import Call, Injection, Run, SignInCount, WebhookDelivery, WebhookEndpoint, WebhookMessage
from generation.tasks import forget
from generation.webhooks import outbox
from learning.resolver import resolve
from review import recording
from review.recording import Fields
from tests.factories import UserFactory
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


@pytest.fixture
def old(run: Run) -> Run:
    """A generated run whose calls are 31 days old, with a text that learning put in."""
    generated(run)
    run.calls.update(created_at=Now() - timedelta(days=31))
    call = run.calls.first()
    assert call is not None
    Injection.objects.create(
        call=call, placeholder="EXTRACTION_REVIEW", guidance_key="k", text="t", reason="notes"
    )
    return run


def kept() -> int:
    return Call.objects.exclude(system="", user="", answer="").count()


def test_texts_go_and_figures_stay(old: Run) -> None:
    assert forget_calls(30) == 2
    assert forget_calls(30) == 0
    for call in old.calls.all():
        assert (call.system, call.user, call.answer) == ("", "", "")
        assert call.request.keys() == {"guidance"}
        assert call.input_tokens == 100 and call.prompt_version and call.forgotten_at
    injection = Injection.objects.get()
    assert (injection.text, injection.reason, injection.guidance_key) == ("", "notes", "k")
    assert old.drafts.get().content["name"] == "Makita DHP484"


@pytest.mark.parametrize("days", [31, 32, 365])
def test_younger_calls_are_left_alone(old: Run, days: int) -> None:
    old.calls.update(created_at=Now() - timedelta(days=31) + timedelta(minutes=1))
    assert forget_calls(days) == 0
    assert kept() == 2


def test_a_run_in_progress_keeps_what_it_paid_for(old: Run) -> None:
    Run.objects.update(status="queued")
    assert forget_calls(1) == 0
    assert kept() == 2


def test_piece_by_piece(old: Run) -> None:
    assert forget_calls(30, most=1) == 1
    assert kept() == 1
    assert forget_calls(30, most=1) == 1


@pytest.mark.parametrize(("days", "left"), [(0, 2), (30, 0), (40, 2)])
def test_the_task_keeps_to_the_setting(old: Run, settings: Settings, days: int, left: int) -> None:
    settings.FOLDBACK_KEEP_CALLS_DAYS = days
    forget()
    assert kept() == left


@pytest.mark.parametrize(("days", "left"), [(0, 3), (8, 1), (40, 3)])
def test_the_task_forgets_messages_that_nobody_waits_for(settings: Settings, days: int, left: int) -> None:
    settings.FOLDBACK_KEEP_WEBHOOKS_DAYS = days
    endpoint = WebhookEndpoint.objects.create(url="https://example.org/", types=["run.finished"])
    for state in ("delivered", "failed", "waiting"):
        outbox.emit("run.finished", {})
        WebhookDelivery.objects.filter(state="waiting").update(
            state=state, next_attempt_at=Now() if state == "waiting" else None
        )
    WebhookMessage.objects.update(created_at=Now() - timedelta(days=9))
    forget()
    assert WebhookMessage.objects.count() == WebhookDelivery.objects.count() == left
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(enabled=False)
    forget()
    assert WebhookMessage.objects.count() == (left if days != 8 else 0)


def test_the_task_forgets_sessions_and_failed_sign_ins_that_are_over() -> None:
    for days in (-1, 1):
        Session.objects.create(
            session_key=f"s{days}", session_data="", expire_date=timezone.now() + timedelta(days=days)
        )
        SignInCount.objects.create(key=f"k{days}", began_at=Now() + timedelta(days=days), count=3)
    forget()
    assert [session.session_key for session in Session.objects.all()] == ["s1"]
    assert [count.key for count in SignInCount.objects.all()] == ["k1"]


def test_the_command(old: Run) -> None:
    with pytest.raises(CommandError):
        call_command("forget_calls")
    with pytest.raises(CommandError, match="at most 36500"):
        call_command("forget_calls", "--days=9999999999")
    call_command("forget_calls", "--days=40")
    assert kept() == 2
    call_command("forget_calls", "--days=30")
    assert kept() == 0


def test_what_learning_reads_is_not_forgotten(old: Run) -> None:
    """The window, its evidence and the example come from reviews and records alone."""
    reviewer, said = UserFactory(), Fields("approve", bad_format=True, missing_spec=["Torque"])
    event = recording.submit(old.pk, said, reviewer=reviewer).event
    assert event is not None
    asked = GuidanceRequest("item", "extraction", old.subcategory_id)
    before = resolve(asked)
    assert before.example_run == old.pk and before.trigger_state is not None
    assert {fragment.evidence for fragment in before.fragments} == {(event.pk,)}
    assert forget_calls(30) == 2
    assert resolve(asked) == before


def test_a_stopped_run_that_was_forgotten_begins_anew(old: Run, scripted: Scripted) -> None:
    Run.objects.update(status="stopped")
    forget_calls(30)
    scripted.play()
    runs.retry(old.pk)
    old.refresh_from_db()
    assert old.round == 2
    assert generated(old).status == "awaiting_review"
    assert scripted.stages() == ["extraction", "supervisor"]
