"""What the provider does not answer: each result that is none, and what becomes of its run."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.db.models.functions import Now

from generation.models import DeferredCall, Run
from generation.work import MAX_ATTEMPTS
from tests.batches_api import BatchesApi, errored, succeeded
from tests.factories import SubcategoryFactory
from tests.generation.deferring.conftest import economical, exchanged, good, worked
from tests.generation.editorials import SOURCE, layout
from tests.messages_api import KEY

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("result", "code", "status"),
    [
        (errored("invalid_request_error"), "bad_request", "failed"),
        (errored("authentication_error"), "unauthorized", "failed"),
        (errored("overloaded_error"), "overloaded", "queued"),
        (errored("api_error"), "overloaded", "queued"),
        (errored("rate_limit_error"), "rate_limited", "queued"),
        (errored("something_new"), "overloaded", "queued"),
        ({"type": "errored"}, "overloaded", "queued"),
        ({"type": "expired"}, "timeout", "queued"),
        ({"type": "canceled"}, "batch_cancelled", "queued"),
        ({"type": "something_new"}, "malformed", "queued"),
        ([], "malformed", "queued"),
        (None, "malformed", "queued"),  # no line of it
        ({"type": "succeeded"}, "malformed", "queued"),
        ({"type": "succeeded", "message": {"content": 1}}, "malformed", "queued"),
        (succeeded("{"), "malformed", "queued"),
        (succeeded("I won't", stop_reason="refusal"), "refused", "failed"),
        (succeeded("cut", stop_reason="max_tokens"), "truncated", "failed"),
    ],
)
def test_a_result_that_is_no_answer(batches: BatchesApi, result: Any, code: str, status: str) -> None:
    run = economical()
    worked(run)
    exchanged(batches, lambda params: result)
    worked(run)
    assert (run.status, run.error and run.error["code"]) == (status, code)
    call = run.calls.get()
    assert call.error is not None and call.error["code"] == code and call.request["batch"] == "msgbatch_1"
    paid = isinstance(result, dict) and "usage" in result.get("message", {})
    assert call.input_tokens == run.input_tokens == (1000 if paid else 0)
    assert not DeferredCall.objects.exists()


def test_what_failed_is_asked_again_as_often_as_at_once_and_then_given_up(batches: BatchesApi) -> None:
    run = economical()
    for attempt in range(1, MAX_ATTEMPTS + 1):
        worked(run)
        exchanged(batches, lambda params: errored("overloaded_error"))
        worked(run)
        assert run.attempts == attempt
        Run.objects.update(next_attempt_at=Now())
    assert (run.status, run.error and run.error["code"]) == ("failed", "overloaded")
    assert run.calls.count() == len(batches.kept) == MAX_ATTEMPTS


def test_a_run_goes_on_after_a_failure(batches: BatchesApi) -> None:
    run = economical()
    for answers in (lambda params: errored("overloaded_error"), good, lambda params: {"type": "expired"}, good):
        worked(run)
        exchanged(batches, answers)
        worked(run)
        Run.objects.filter(status="queued").update(next_attempt_at=Now())
    worked(run)
    assert (run.status, run.judge_outcome) == ("awaiting_review", "passed")
    assert [bool(call.error) for call in run.calls.order_by("id")] == [True, False, True, False]


def test_an_unreadable_judgement_is_asked_for_once_more_and_not_for_ever(batches: BatchesApi) -> None:
    """The run goes through its steps again with each answer, and hears again of the one that failed."""
    subcategory = SubcategoryFactory().slug
    run = economical(flow="editorial", source=SOURCE, subcategory=subcategory)

    def answers(params: Mapping[str, Any]) -> Any:
        stages = DeferredCall.objects.values_list("stage", flat=True)
        return succeeded("no JSON" if "judge" in stages else json.dumps(layout()))

    for _ in range(8):
        worked(run)
        exchanged(batches, answers)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")
    judged = run.calls.filter(stage="judge").order_by("id")
    assert [call.error and call.error["code"] for call in judged] == ["malformed", "malformed"]


def test_no_error_tells_the_key(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    exchanged(batches, lambda params: errored("authentication_error", f"invalid x-api-key {KEY}"))
    worked(run)
    assert run.error is not None and KEY not in str(run.error) and "[key]" in str(run.error)
