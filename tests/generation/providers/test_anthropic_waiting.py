"""The real SDK over real HTTP: what is tried again, how long is waited, and when the time of a call is up."""

import time
from typing import Any

import pytest

from generation.providers import Usage
from tests.generation.providers.test_anthropic import Record, ask, refusal
from tests.messages_api import MessagesApi, Reply, error, message


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("60", 60.0), ("1.5", 1.5), ("-3", 0.0), ("soon", None), ("inf", None), ("", None)],
)
def test_says_how_long_to_wait(
    messages_api: MessagesApi, settings: Any, header: str, seconds: float | None
) -> None:
    settings.CALL_RETRIES = 0
    messages_api.replies(error(429, "rate_limit_error", retry_after=header))
    assert refusal().retry_after == seconds


def test_a_date_to_wait_for(messages_api: MessagesApi, settings: Any) -> None:
    settings.CALL_RETRIES = 0
    messages_api.replies(error(429, "rate_limit_error", retry_after="Fri, 31 Dec 2199 23:59:59 GMT"))
    wait = refusal().retry_after
    assert wait is not None and wait > 1_000_000


@pytest.mark.parametrize(
    "fault",
    [
        error(429, "rate_limit_error", retry_after="0.01"),
        error(529, "overloaded_error", retry_after="0.01"),
        Reply(drop=True),
        Reply("<html>", content_type="text/html"),
    ],
    ids=["rate limit", "overloaded", "dropped", "proxy page"],
)
def test_tries_again_after_what_passes(messages_api: MessagesApi, settings: Any, fault: Reply) -> None:
    settings.CALL_RETRIES = 2
    messages_api.replies(fault, fault, message("yes"))
    assert ask().text == "yes"
    assert len(messages_api.received) == 3


def test_waits_as_long_as_it_was_told(messages_api: MessagesApi, settings: Any) -> None:
    settings.CALL_RETRIES = 1
    messages_api.replies(error(429, "rate_limit_error", retry_after="1.2"), message("yes"))
    started = time.monotonic()
    assert ask().text == "yes"
    assert time.monotonic() - started >= 1.2, "our own first wait is half a second at most"


def test_tries_no_more_often_than_the_settings_say(messages_api: MessagesApi, settings: Any) -> None:
    settings.CALL_RETRIES = 2
    messages_api.replies(error(429, "rate_limit_error", retry_after="0.01"))
    assert refusal().code == "rate_limited"
    assert len(messages_api.received) == 3


def test_a_malformed_answer_is_not_paid_for_twice(messages_api: MessagesApi, settings: Any) -> None:
    settings.CALL_RETRIES = 2
    messages_api.replies(message("no JSON"))
    assert refusal(schema=Record).code == "malformed"
    assert len(messages_api.received) == 1


def test_half_a_message_is_not_paid_for_twice(messages_api: MessagesApi, settings: Any) -> None:
    settings.CALL_RETRIES = 2
    messages_api.replies(Reply(message("yes").body[:-20]))
    assert refusal().code == "malformed"
    assert len(messages_api.received) == 1


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_answer_without_words_is_none(messages_api: MessagesApi, settings: Any, text: str) -> None:
    messages_api.replies(message(text, content=[{"type": "text", "text": text}]))
    error = refusal()
    assert (error.code, error.retryable, error.usage) == ("malformed", True, Usage(10, 5))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(message("late").body, delay=60),
        Reply(message("late").body, drip=0.2),
        Reply(drip_head=0.2),
        error(429, "rate_limit_error", retry_after="3600"),
    ],
    ids=["silent", "slow drip", "slow head", "asked to wait too long"],
)
def test_the_deadline_holds_for_the_whole_call(messages_api: MessagesApi, settings: Any, reply: Reply) -> None:
    settings.CALL_RETRIES = 5
    messages_api.replies(reply)
    started = time.monotonic()
    assert refusal(timeout=0.6).code in ("timeout", "rate_limited")
    assert time.monotonic() - started < 20, "the whole answer would take a minute"
