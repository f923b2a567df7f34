"""A run at the lower price: the same prompts, record and trail as a run that is answered at once."""

from decimal import Decimal
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation.deferring.collecting import collect
from generation.deferring.sending import send
from generation.models import Call, DeferredCall, NodeEvent, Run, Submission
from tests.batches_api import BatchesApi
from tests.generation.deferring.conftest import economical, exchanged, good, worked
from tests.generation.scripted import record
from tests.messages_api import MessagesApi, message

pytestmark = pytest.mark.django_db
TRAIL = (
    "stage",
    "cycle",
    "attempt",
    "system",
    "user",
    "answer",
    "provider",
    "model",
    "error",
    "prompt_version_id",
)


def test_a_run_waits_for_each_of_its_answers_and_goes_on(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    assert (run.status, run.lease, run.attempts) == ("generating", None, 0)
    assert DeferredCall.objects.get().state == "waiting" and not batches.kept
    worked(run)  # nobody takes it meanwhile
    assert send() == 1 and collect() == 0
    worked(run)
    assert (run.status, len(batches.params)) == ("generating", 1)
    batches.end(good)
    assert collect() == 1
    worked(run)
    assert (run.status, run.revision) == ("reviewing", 1)
    exchanged(batches)
    worked(run)
    assert (run.status, run.judge_outcome, run.error) == ("awaiting_review", "passed", None)
    assert [call.stage for call in run.calls.order_by("id")] == ["extraction", "supervisor"]
    assert not DeferredCall.objects.exists()
    assert [one.state for one in Submission.objects.all()] == ["over", "over"]


def test_its_trail_is_that_of_a_run_that_is_answered_at_once(far_end: MessagesApi, settings: Settings) -> None:
    run = economical()
    for _ in range(2):
        worked(run)
        exchanged(far_end.batches)
    worked(run)
    far_end.replies(message(record()), message("PASS"))
    live = economical(options={}, subcategory=run.subcategory.slug if run.subcategory else None)
    worked(live)
    assert list(run.calls.order_by("id").values_list(*TRAIL)) == list(
        live.calls.order_by("id").values_list(*TRAIL)
    )
    assert [draft.content for draft in run.drafts.all()] == [draft.content for draft in live.drafts.all()]
    asked, sent = [received.body for received in far_end.received], far_end.batches.params
    assert sent == asked
    assert _told(run) == _told(live)


def _told(run: Run) -> list[Any]:
    events = NodeEvent.objects.filter(run=run).exclude(kind="status").order_by("id")
    return list(events.values_list("kind", "node", "badge", "attempt", "detail"))


def test_its_tokens_cost_half(batches: BatchesApi, settings: Settings) -> None:
    settings.PRICES_USD = {"claude-sonnet-5-5": ("3", "15", "3.75", "0.3")}
    run = economical()
    worked(run)
    exchanged(batches)
    call = Call.objects.get()
    run.refresh_from_db()
    assert (call.input_tokens, call.output_tokens) == (1000, 100)
    assert call.cost_usd == run.cost_usd == Decimal("0.002250")  # half of 1000 × 3 + 100 × 15, by the million
    assert call.request["economy"] is True and call.request["batch"] == "msgbatch_1"
