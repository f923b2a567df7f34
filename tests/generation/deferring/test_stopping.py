"""Runs that are over while they wait: what was not begun is not paid for, what was is kept."""

from typing import Any

import pytest
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation import runs
from generation.deferring.collecting import collect
from generation.deferring.sending import send
from generation.models import DeferredCall, Run, Submission
from generation.tasks import TASK_EXPECTED, sweep
from tests.batches_api import BatchesApi, succeeded
from tests.generation.deferring.conftest import economical, good, worked

pytestmark = pytest.mark.django_db


def test_what_was_not_sent_is_not_sent(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    runs.cancel(run.pk)
    assert not DeferredCall.objects.exists() and send() == 0 and not batches.kept


def test_an_answer_that_was_paid_for_is_kept(batches: BatchesApi) -> None:
    run, other = economical(), economical()
    worked(run, other)
    send()
    runs.cancel(run.pk)
    assert collect() == 0 and "cancel" not in batches.asked  # the other one waits
    batches.end(good)
    collect()
    worked(run)
    assert (run.status, run.calls.count(), run.input_tokens) == ("stopped", 1, 1000)
    assert not DeferredCall.objects.filter(run=run).exists()


def test_the_provider_is_told_once_nobody_waits(batches: BatchesApi) -> None:
    made = [economical(), economical()]
    worked(*made)
    send()
    for run in made:
        runs.cancel(run.pk)
    collect()
    collect()
    assert batches.asked.count("cancel") == 1 and batches.kept[0].cancelled
    batches.end(lambda params: {"type": "canceled"})
    collect()
    worked(*made)
    assert {run.status for run in made} == {"stopped"} and not DeferredCall.objects.exists()
    assert Submission.objects.get().state == "over"


def test_a_run_that_is_retried_takes_up_what_it_waits_for(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    send()
    runs.cancel(run.pk)
    runs.retry(run.pk)
    worked(run)
    batches.end(good)
    collect()
    worked(run)
    assert (run.status, run.round, run.revision, len(batches.params)) == ("reviewing", 1, 1, 1)


@pytest.mark.parametrize("cancelled", ["while it waits to go on", "while it goes on"])
def test_what_half_an_answer_cost_is_kept(batches: BatchesApi, cancelled: str) -> None:
    run = economical()
    worked(run)

    def paused(params: Any) -> Any:
        return succeeded("", content=[{"type": "text", "text": "more"}], stop_reason="pause_turn")

    send()
    if cancelled == "while it goes on":
        runs.cancel(run.pk)
    batches.end(paused)
    collect()
    if cancelled == "while it waits to go on":
        runs.cancel(run.pk)
        assert send() == 0
    run.refresh_from_db()
    call = run.calls.get()
    assert call.error is not None and call.error["code"] == "batch_cancelled"
    assert (run.status, run.input_tokens) == ("stopped", 1000) and not DeferredCall.objects.exists()


def test_a_key_that_is_gone_fails_what_waits(batches: BatchesApi, settings: Settings) -> None:
    run = economical()
    worked(run)
    settings.ANTHROPIC_API_KEY = ""
    send()
    worked(run)
    assert (run.status, run.error and run.error["code"]) == ("failed", "not_configured")


def test_parameters_that_cannot_be_sent_fail_their_run_alone(batches: BatchesApi) -> None:
    run, other = economical(), economical()
    worked(run, other)
    row = DeferredCall.objects.get(run=run)
    row.parcel["parameters"] = {"max_tokens": "many"}
    row.save(update_fields=["parcel"])
    assert send() == 1
    worked(run)
    assert (run.status, run.error and run.error["code"], run.calls.count()) == ("failed", "bad_request", 1)


def test_a_flow_that_is_gone_fails_its_runs(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    Run.objects.update(flow="gone")
    send()
    worked(run)
    assert (run.status, run.error and run.error["code"]) == ("failed", "bad_input")


def test_the_sweep_leaves_a_run_that_waits_alone(batches: BatchesApi) -> None:
    worked(economical())
    Run.objects.update(changed_at=Now() - 2 * TASK_EXPECTED)
    assert sweep() == 0
