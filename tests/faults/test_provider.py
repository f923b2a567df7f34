"""Every fault of the provider, through whole runs: their end, the tries, what it cost, what is told."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from generation import pipeline, runs
from generation.intake import parse
from generation.models import DailySpend, Run
from generation.work import MAX_ATTEMPTS
from tests import scenes
from tests.factories import SubcategoryFactory
from tests.messages_api import KEY, MessagesApi, Reply, error, message

pytestmark = pytest.mark.django_db

TITLE = "Zwitschermaschine 4711"
SECRETS = (KEY, "Zwitschermaschine", "Geheimrezept", "Buxtehude")
RECORD = {
    "name": TITLE,
    "description": None,
    "specifications": [],
    "dimensions": dict.fromkeys(("length", "width", "height", "depth", "diameter", "weight")),
    "sources": ["source"],
}
GOOD = message(json.dumps(RECORD))
PROXY = Reply("<h1>Sign in</h1>", content_type="text/html")
BAD_GATEWAY = Reply("<h1>Bad</h1>", 502, {"retry-after": "0"}, "text/html")
ONCE, EACH = 1, MAX_ATTEMPTS  # requests: it stays as it is; each attempt sends one, its answer was paid for
TRIES = 2 * MAX_ATTEMPTS  # each attempt sends two, nothing was paid for

# what the API does for ever: reply, code, requests, answers that were paid for, words of the reason
FOR_EVER: dict[str, tuple[Reply, str, int, int, str]] = {
    "429": (error(429, "rate_limit_error", retry_after="0"), "rate_limited", TRIES, 0, "limits how much"),
    "529": (error(529, "overloaded_error", retry_after="0"), "overloaded", TRIES, 0, "overloaded"),
    "500": (error(500, "api_error", retry_after="0"), "overloaded", TRIES, 0, "broken"),
    "dropped": (Reply(drop=True), "unreachable", TRIES, 0, "connection failed or was dropped"),
    "time-out": (Reply(GOOD.body, delay=3), "timeout", EACH, 0, "no whole answer in time"),
    "slow drip": (Reply(GOOD.body, drip=0.05), "timeout", EACH, 0, "no whole answer in time"),
    "slow head": (Reply(drip_head=0.05), "timeout", EACH, 0, "no whole answer in time"),
    "max_tokens": (message('{"name": ', stop_reason="max_tokens"), "truncated", ONCE, 1, "cut off"),
    "refusal": (message("I won't", stop_reason="refusal"), "refused", ONCE, 1, "the model refused"),
    "text": (message(f"It is a {TITLE}"), "malformed", EACH, EACH, "not one JSON object"),
    "HTML": (PROXY, "unreachable", TRIES, 0, "something else answered"),
    "HTML 502": (BAD_GATEWAY, "unreachable", TRIES, 0, "gateway"),
    "no content": (message(content=None), "malformed", EACH, EACH, "lacks content"),
    "no stop reason": (message("{}", stop_reason=None), "malformed", EACH, EACH, "lacks content or stop_reason"),
    "no usage": (message("no JSON", usage=None), "malformed", EACH, 0, "not one JSON object"),
    "wrong shape": (message('{"specifications": []}'), "malformed_record", 2, 2, "/name: Field required"),
    "wrong key": (error(401, "authentication_error", f"bad {KEY}"), "unauthorized", ONCE, 0, "our key"),
}  # fmt: skip
FAULTS = pytest.mark.parametrize("fault", FOR_EVER)


@pytest.fixture(autouse=True)
def _no_log_holds_key_or_record(settings: Any, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    settings.FOLDBACK_PROVIDER, settings.CALL_RETRIES = "anthropic", 1
    caplog.set_level(logging.DEBUG)
    yield
    records = caplog.get_records("call")
    assert any(record.levelno == logging.DEBUG for record in records), "or this shows nothing"
    told = caplog.text + "".join(f"{record.getMessage()} {vars(record)}" for record in records)
    assert [secret for secret in SECRETS if secret in told] == []


@pytest.fixture
def run(messages_api: MessagesApi) -> Run:
    source = {"title": TITLE, "text": "Geheimrezept aus Buxtehude"}
    return runs.create(parse({"flow": "item", "subcategory": SubcategoryFactory().slug, "source": source}))


def to_its_end(run: Run) -> Run:
    """Attempt after attempt, as the sweep would start them when their time has come."""
    for _ in range(MAX_ATTEMPTS + 1):
        Run.objects.filter(pk=run.pk).update(next_attempt_at=None)
        pipeline.generate(run.pk)
        run.refresh_from_db()
        if not run.is_in_progress:
            return run
    raise AssertionError("it never ends")


@FAULTS
def test_a_fault_that_stays_ends_the_run_with_its_reason(
    messages_api: MessagesApi,
    run: Run,
    settings: Any,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    reply, code, requests, paid, words = FOR_EVER[fault]
    if code == "timeout":
        settings.CALL_TIMEOUT_SECONDS = 0.4
    messages_api.replies(reply)
    to_its_end(run)
    assert (run.status, run.judge_outcome, run.revision) == ("failed", "failed", 0)
    assert run.error is not None and run.error["code"] == code
    assert words in run.error["detail"]
    assert len(messages_api.received) == requests
    assert (run.input_tokens, run.output_tokens) == (10 * paid, 5 * paid)
    booked = sum(call.cost_usd for call in run.calls.all())
    assert booked == run.cost_usd == sum(day.cost_usd for day in DailySpend.objects.all())
    assert (booked > 0) == (paid > 0)

    client.force_login(scenes.reviewer())
    assert words in client.get(f"/runs/{run.pk}/").text.replace("&#x27;", "'"), "the reason is on the run's page"


@FAULTS
def test_a_fault_that_passes_leaves_a_whole_run(
    messages_api: MessagesApi, run: Run, settings: Any, fault: str
) -> None:
    reply, code, _requests, _paid, _words = FOR_EVER[fault]
    if code == "timeout":
        settings.CALL_TIMEOUT_SECONDS = 1.0
    messages_api.replies(reply, GOOD, message("PASS"))
    to_its_end(run)
    if code in ("truncated", "refused", "unauthorized"):
        assert run.status == "failed"
        runs.retry(run.pk)
        to_its_end(run)
    assert (run.status, run.judge_outcome, run.revision, run.error) == ("awaiting_review", "passed", 1, None)
    assert len(messages_api.received) == 3


@pytest.mark.parametrize("fault", ["429", "dropped", "time-out", "max_tokens", "refusal", "text", "no content"])
def test_a_judge_that_has_the_fault_never_passes_a_draft(
    messages_api: MessagesApi, run: Run, settings: Any, fault: str
) -> None:
    reply, code, *_rest = FOR_EVER[fault]
    if code == "timeout":
        settings.CALL_TIMEOUT_SECONDS = 0.4
    messages_api.replies(GOOD, reply)
    to_its_end(run)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")
    assert run.error is not None and run.error["detail"] and run.revision == 1
