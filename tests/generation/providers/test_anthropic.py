"""The real SDK over real HTTP against a local server: what is sent, what is read, and every fault."""

import json
import time
from typing import Any

import pytest
from pydantic import BaseModel

from generation.providers import ProviderError, Request, Search, Usage, provider
from tests.messages_api import KEY, MessagesApi, Reply, error, message


class Record(BaseModel):
    name: str
    size: float | None = None


def request(**changes: Any) -> Request:
    values: dict[str, Any] = {
        "flow": "item",
        "stage": "extraction",
        "system": "You fill records.",
        "stable": "Fill this: ",
        "volatile": "<source>Drill</source>",
        "model": "claude-sonnet-5-5",
        "timeout": 10.0,
    }
    return Request(**(values | changes))


def ask(**changes: Any) -> Any:
    return provider("anthropic").answer(request(**changes))


def refusal(**changes: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(**changes)
    return caught.value


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


SEARCHED = [
    text("Let me look."),
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "drill"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]


def test_sends_key_model_and_prompt_to_the_configured_address(messages_api: MessagesApi) -> None:
    messages_api.replies(message("yes"))
    answer = ask()
    assert answer.text == "yes" and answer.model == "claude-sonnet-5-5"
    received = messages_api.received[0]
    assert received.path == "/v1/messages"
    assert received.headers["Authorization"] == f"Bearer {KEY}"
    assert received.body["model"] == "claude-sonnet-5-5"
    assert not {"tools", "output_config", "temperature", "thinking"} & received.body.keys()


@pytest.mark.parametrize(
    ("stable", "volatile", "blocks"),
    [
        ("same for all ", "this one", [("same for all ", True), ("this one", False)]),
        ("", "this one", [("this one", False)]),
        ("\n", "this one", [("\nthis one", False)]),
        ("same for all", "", [("same for all", True)]),
        ("same for all", "\n", [("same for all\n", True)]),
    ],
)
def test_marks_the_stable_part_for_the_cache(
    messages_api: MessagesApi, stable: str, volatile: str, blocks: list[tuple[str, bool]]
) -> None:
    ask(stable=stable, volatile=volatile)
    sent = messages_api.last["messages"][0]["content"]
    assert [(block["text"], "cache_control" in block) for block in sent] == blocks
    assert messages_api.last["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_leaves_an_empty_system_prompt_out(messages_api: MessagesApi) -> None:
    ask(system="  ")
    assert "system" not in messages_api.last


@pytest.mark.parametrize(
    ("search", "uses"),
    [
        (Search(), None),
        (Search(broad=True), 5),
        (Search(queries=("brandell as 18 manual", "brandell as 18 weight")), 2),
        (Search(broad=True, queries=("brandell as 18",)), 6),
    ],
)
def test_the_search_tool_is_there_only_where_search_is_wanted(
    messages_api: MessagesApi, search: Search, uses: int | None
) -> None:
    answer = ask(search=search)
    tools = messages_api.last.get("tools", [])
    assert [(tool["name"], tool["type"], tool["max_uses"]) for tool in tools] == (
        [("web_search", "web_search_20250305", uses)] if uses else []
    )
    assert answer.sent["tools"] == tools


def test_asks_for_json_of_the_schema(messages_api: MessagesApi) -> None:
    messages_api.replies(message('{"name": "Drill"}'))
    answer = ask(schema=Record, parameters={"effort": "low"})
    config = messages_api.last["output_config"]
    assert config["effort"] == "low"
    assert config["format"]["type"] == "json_schema"
    assert config["format"]["schema"]["additionalProperties"] is False
    assert answer.text == '{"name": "Drill"}'
    assert answer.sent["schema"] == "Record" and answer.sent["effort"] == "low"


@pytest.mark.parametrize(
    ("parameters", "field", "value"),
    [
        ({}, "max_tokens", 8192),
        ({"max_tokens": 100_000}, "max_tokens", 100_000),
        ({"temperature": 0}, "temperature", 0),
        ({"thinking": "disabled"}, "thinking", {"type": "disabled"}),
    ],
)
def test_sends_the_parameters_of_the_prompt_version(
    messages_api: MessagesApi, parameters: dict[str, Any], field: str, value: object
) -> None:
    answer = ask(parameters=parameters)
    assert messages_api.last[field] == value
    assert answer.sent[field] == value


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parameters": {"temprature": 0}}, "unknown parameters: temprature"),
        ({"parameters": {"max_tokens": "many"}}, "max_tokens"),
        ({"parameters": {"effort": "huge"}}, "effort must be one of"),
        ({"stable": " ", "volatile": ""}, "prompt is empty"),
    ],
)
def test_refuses_a_wrong_request_before_it_is_sent(
    messages_api: MessagesApi, changes: dict[str, Any], words: str
) -> None:
    refused = refusal(**changes)
    assert refused.code == "bad_request" and words in refused.detail
    assert messages_api.received == []


def test_what_was_sent_is_kept_without_prompts_and_key(messages_api: MessagesApi) -> None:
    kept = json.dumps(ask(search=Search(broad=True), schema=Record).sent)
    assert "claude-sonnet-5-5" in kept
    assert not [words for words in (KEY, "You fill records", "Drill", "Fill this") if words in kept]


def test_books_all_that_was_used(messages_api: MessagesApi) -> None:
    used = {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 300,
        "cache_creation_input_tokens": 40,
        "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
    }
    messages_api.replies(message("yes", usage=used))
    assert ask().usage == Usage(10, 20, 300, 40, 2)


def test_the_text_after_the_last_search_is_the_answer(messages_api: MessagesApi) -> None:
    messages_api.replies(message(content=[*SEARCHED, text('{"name": '), text('"Drill"}')]))
    assert ask(schema=Record).text == '{"name": "Drill"}'


def test_goes_on_where_the_api_paused(messages_api: MessagesApi) -> None:
    messages_api.replies(message(content=SEARCHED, stop_reason="pause_turn"), message("done"))
    answer = ask(search=Search(broad=True))
    assert answer.text == "done"
    assert answer.usage == Usage(20, 10)
    roles = [turn["role"] for turn in messages_api.last["messages"]]
    assert roles == ["user", "assistant"]
    assert [block["type"] for block in messages_api.last["messages"][1]["content"]] == [
        "text",
        "server_tool_use",
        "web_search_tool_result",
    ]


def test_gives_up_on_an_api_that_only_pauses(messages_api: MessagesApi) -> None:
    messages_api.replies(message(content=SEARCHED, stop_reason="pause_turn"))
    refused = refusal()
    assert refused.code == "truncated"
    assert refused.usage == Usage(60, 30)


SPENT = Usage(10, 5)

FAULTS = [
    ("rate limit", error(429, "rate_limit_error", retry_after="60"), "rate_limited", True, Usage()),
    ("overloaded", error(529, "overloaded_error", retry_after="60"), "overloaded", True, Usage()),
    ("server error", error(500, "api_error", retry_after="60"), "overloaded", True, Usage()),
    ("bad gateway", Reply("<h1>502</h1>", 502, {"retry-after": "60"}, "text/html"), "unreachable", True, Usage()),
    ("gateway time-out", error(504, "timeout_error", retry_after="60"), "timeout", True, Usage()),
    ("not to be retried", error(500, "api_error", x_should_retry="false"), "overloaded", False, Usage()),
    ("wrong key", error(401, "authentication_error"), "unauthorized", False, Usage()),
    ("not allowed", error(403, "permission_error"), "unauthorized", False, Usage()),
    ("bad request", error(400, "invalid_request_error"), "bad_request", False, Usage()),
    ("unknown model", error(404, "not_found_error"), "bad_request", False, Usage()),
    ("too large", error(413, "request_too_large"), "bad_request", False, Usage()),
    ("redirect", Reply("", 307, {"location": "http://127.0.0.1:1/"}), "bad_request", False, Usage()),
    ("cut off", message('{"name": ', stop_reason="max_tokens"), "truncated", False, SPENT),
    ("window full", message("x", stop_reason="model_context_window_exceeded"), "truncated", False, SPENT),
    ("refusal", message("I won't", stop_reason="refusal"), "refused", False, SPENT),
    ("text for JSON", message("The record is: a drill"), "malformed", True, SPENT),
    ("list for object", message("[1]"), "malformed", True, SPENT),
    ("deep nesting", message("[" * 200_000), "malformed", True, SPENT),
    ("empty", message(""), "malformed", True, SPENT),
    ("odd ending", message("{}", stop_reason="tool_use"), "malformed", True, SPENT),
    ("no content", message(content=None), "malformed", True, SPENT),
    ("content no list", message(content="{}"), "malformed", True, SPENT),
    ("no stop reason", message("{}", stop_reason=None), "malformed", True, SPENT),
    ("no usage", message("no JSON", usage=None), "malformed", True, Usage()),
    ("other usage", message("no JSON", usage={"input_tokens": "many"}), "malformed", True, Usage()),
    ("error with 200", Reply('{"type": "error", "error": {"type": "api_error"}}'), "malformed", True, Usage()),
    ("not JSON", Reply('{"id": "msg_1", "content": [{"ty'), "malformed", True, Usage()),
    ("not UTF-8", Reply("{}", headers={"content-encoding": "gzip"}), "unreachable", True, Usage()),
    ("nothing", Reply(""), "malformed", True, Usage()),
    ("null", Reply("null"), "malformed", True, Usage()),
    ("a list", Reply("[]"), "malformed", True, Usage()),
    ("odd blocks", message(content=[7, None, {"type": "news"}, {"type": "text"}]), "malformed", True, SPENT),
    ("proxy page", Reply("<html>Sign in</html>", content_type="text/html"), "unreachable", True, Usage()),
    ("dropped", Reply(drop=True), "unreachable", True, Usage()),
]


@pytest.mark.parametrize(
    ("reply", "code", "retryable", "spent"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS]
)
def test_faults(
    messages_api: MessagesApi, reply: Reply, code: str, retryable: bool, spent: Usage, settings: Any
) -> None:
    settings.CALL_RETRIES = 0
    messages_api.replies(reply)
    refused = refusal(schema=Record)
    assert (refused.code, refused.retryable, refused.usage) == (code, retryable, spent)
    assert refused.sent["model"] == "claude-sonnet-5-5"


def test_the_answer_of_a_malformed_call_is_kept(messages_api: MessagesApi) -> None:
    messages_api.replies(message("The record is: a drill"))
    assert refusal(schema=Record).answer == "The record is: a drill"


def test_nothing_listens(messages_api: MessagesApi, settings: Any) -> None:
    settings.ANTHROPIC_BASE_URL, settings.CALL_RETRIES = "http://127.0.0.1:1", 0
    assert refusal().code == "unreachable"


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


@pytest.mark.parametrize(
    "reply",
    [
        message("late"),
        Reply(message("late").body, delay=3),
        Reply(message("late").body, drip=0.05),
        error(429, "rate_limit_error", retry_after="3600"),
    ],
    ids=["in time", "silent", "slow drip", "asked to wait too long"],
)
def test_the_deadline_holds_for_the_whole_call(messages_api: MessagesApi, settings: Any, reply: Reply) -> None:
    settings.CALL_RETRIES = 5
    messages_api.replies(reply)
    started = time.monotonic()
    if reply == message("late"):
        assert ask(timeout=0.6).text == "late"
    else:
        assert refusal(timeout=0.6).code in ("timeout", "rate_limited")
    assert time.monotonic() - started < 1.5


def test_an_empty_key_is_told_before_anything_is_sent(messages_api: MessagesApi, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "  "
    refused = refusal()
    assert refused.code == "not_configured" and "ANTHROPIC_API_KEY" in refused.detail
    assert messages_api.received == []


@pytest.mark.parametrize(
    "reply",
    [
        error(401, "authentication_error", f"invalid x-api-key {KEY}"),
        error(400, "invalid_request_error", f"header Authorization: Bearer {KEY}"),
        Reply(f"<h1>{KEY}</h1>", 500, content_type="text/html"),
        Reply(f"<h1>{KEY}</h1>", content_type="text/html"),
        Reply(f'{{"{KEY}": '),
        Reply(drop=True),
    ],
)
def test_the_key_is_in_no_text(
    messages_api: MessagesApi, settings: Any, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CALL_RETRIES = 1
    messages_api.replies(reply)
    caplog.set_level("DEBUG")
    refused = refusal()
    chain: BaseException | None = refused
    while chain is not None:
        assert KEY not in f"{chain!r} {chain} {vars(chain)}"
        chain = chain.__cause__ or chain.__context__
    assert KEY not in caplog.text


def test_a_key_that_cannot_be_sent_is_in_no_text_either(
    messages_api: MessagesApi, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ANTHROPIC_API_KEY, settings.CALL_RETRIES = "sk-two\nlines-of-key", 0
    refused = refusal()
    assert "lines-of" not in f"{refused!r} {refused.__context__!r} {refused.__cause__!r} {caplog.text}"


def test_a_prompt_that_cannot_be_sent_is_told(messages_api: MessagesApi) -> None:
    refused = refusal(volatile="half a pair: \ud800")
    assert refused.code == "bad_request" and not refused.retryable


def test_text_that_postgresql_cannot_store_is_mended(messages_api: MessagesApi) -> None:
    messages_api.replies(Reply(message("MARK").body.replace("MARK", r"a\u0000b\ud800c")))
    assert ask().text == "a\ufffdb\ufffdc"
