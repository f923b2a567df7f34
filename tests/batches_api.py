"""The batches of the local Messages API: kept as they come, ended and answered when a test says so."""

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

PATH = re.compile(r"^/v1/messages/batches(?:/(?P<name>[^/?]+))?(?:/(?P<act>results|cancel))?(?:\?.*)?$")
Answers = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Reply:
    """One HTTP answer. drop: close before it; delay: wait before it; drip: seconds between its bytes;
    drip_head: seconds between those of a head that does not end."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    drop: bool = False
    delay: float = 0.0
    drip: float = 0.0
    drip_head: float = 0.0


def succeeded(text: str, **changes: Any) -> dict[str, Any]:
    """The result of a request that was answered."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 100, "service_tier": "batch"},
    }
    return {"type": "succeeded", "message": message | changes}


def errored(kind: str, text: str = "no") -> dict[str, Any]:
    return {"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": text}}}


@dataclass
class Kept:
    """A batch: what was asked, and once it has ended what is answered, by custom id."""

    name: str
    requests: list[dict[str, Any]]
    created: datetime
    ended: bool = False
    cancelled: bool = False
    results: list[str] = field(default_factory=list)  # lines

    def shown(self) -> dict[str, Any]:
        count = len(self.requests)
        states = ("canceled", "errored", "expired")
        return {
            "id": self.name,
            "type": "message_batch",
            "processing_status": "ended" if self.ended else "canceling" if self.cancelled else "in_progress",
            "request_counts": dict.fromkeys(states, 0)
            | {"processing": 0 if self.ended else count, "succeeded": count if self.ended else 0},
            "created_at": self.created.isoformat(),
            "expires_at": (self.created + timedelta(days=1)).isoformat(),
            "results_url": "http://127.0.0.1:9/elsewhere" if self.ended else None,  # the key must not go there
        }


class BatchesApi:
    """Takes batches and answers of them. faults: what a kind of request is answered instead, once each."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []
        self.faults: dict[str, list[Reply]] = {}
        self.lose_name = False  # take the next batch and drop the connection before naming it
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def fail(self, kind: str, *replies: Reply) -> None:
        """kind: create, list, retrieve, results or cancel."""
        self.faults.setdefault(kind, []).extend(replies)

    def end(self, answers: Answers, *, which: Kept | None = None) -> int:
        """End a batch, or all that are open; `answers` says what a request's result is, None leaves it out."""
        open_ones = [which] if which else [one for one in self.kept if not one.ended]
        for one in open_ones:
            lines = []
            for request in reversed(one.requests):  # in any order but the one in which they came
                result = answers(request["params"])
                if result is not None:
                    lines.append(json.dumps({"custom_id": request["custom_id"], "result": result}))
            one.ended, one.results = True, lines
        return len(open_ones)

    @property
    def params(self) -> list[dict[str, Any]]:
        """What was asked for in all batches."""
        return [request["params"] for one in self.kept for request in one.requests]

    def reply(self, method: str, path: str, body: Mapping[str, Any]) -> Reply | None:
        """None where the request is none of a batch."""
        found = PATH.match(path)
        if found is None:
            return None
        with self._lock:
            kind = found["act"] or ("create" if method == "POST" else "retrieve" if found["name"] else "list")
            self.asked.append(kind)
            if self.faults.get(kind):
                return self.faults[kind].pop(0)
            return self._do(kind, found["name"], body)

    def _do(self, kind: str, name: str | None, body: Mapping[str, Any]) -> Reply:
        if kind == "create":
            made = Kept(f"msgbatch_{len(self.kept) + 1}", list(body["requests"]), datetime.now(UTC))
            self.kept.append(made)
            if self.lose_name:
                self.lose_name = False
                return Reply(drop=True)
            return Reply(json.dumps(made.shown()))
        if kind == "list":
            data = [one.shown() for one in reversed(self.kept)]
            page = {"data": data, "has_more": False, "first_id": None, "last_id": None}
            return Reply(json.dumps(page))
        one = next((one for one in self.kept if one.name == name), None)
        if one is None:
            return Reply(json.dumps({"type": "error", "error": {"type": "not_found_error", "message": "no"}}), 404)
        if kind == "results":
            return Reply("\n".join(one.results), content_type="application/x-jsonl")
        if kind == "cancel":
            one.cancelled = True
        return Reply(json.dumps(one.shown()))
