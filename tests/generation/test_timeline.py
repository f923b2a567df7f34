"""A run's timeline from its events, calls and judgements: what pairs with what, and what each row says."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from generation.models import Call, Judgement, NodeEvent, Run, Status
from generation.timeline import Row, rows

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


class Script:
    """Events as the pipeline writes them, one second apart unless the clock stands still."""

    def __init__(self, step: float = 1) -> None:
        self.step, self.time = step, 0.0
        self.events: list[NodeEvent] = []
        self.calls: list[Call] = []
        self.judgements: list[Judgement] = []

    def _event(self, kind: str, node: str, **given: Any) -> "Script":
        event = NodeEvent(pk=len(self.events) + 1, kind=kind, node=node, created_at=at(self.time), **given)
        self.events.append(event)
        self.time += self.step
        return self

    def status(self, node: str, round: int = 1, detail: str = "") -> "Script":
        return self._event("status", node, round=round, detail=detail)

    def enter(self, node: str, attempt: int = 1, round: int = 1) -> "Script":
        return self._event("node_enter", node, attempt=attempt, round=round, badge=badge(node, attempt))

    def complete(self, node: str, attempt: int = 1, round: int = 1, detail: str = "") -> "Script":
        return self._event(
            "node_complete", node, attempt=attempt, round=round, badge=badge(node, attempt), detail=detail
        )

    def call(self, stage: str, cycle: int = 1, round: int = 1, error: str = "") -> "Script":
        before = [c for c in self.calls if (c.stage, c.cycle, c.round) == (stage, cycle, round)]
        call = Call(
            pk=len(self.calls) + 1,
            stage=stage,
            cycle=cycle,
            round=round,
            attempt=len(before) + 1,
            error={"code": error, "detail": ""} if error else None,
            created_at=at(self.time),
            duration_ms=500,
            cost_usd=Decimal("0.01"),
        )
        self.calls.append(call)
        return self

    def ask(self, node: str, attempt: int = 1, round: int = 1, error: str = "") -> "Script":
        """A whole visit."""
        self.enter(node, attempt, round).call(node, attempt, round, error)
        return self.complete(node, attempt, round, error)

    def judged(self, outcome: str, cycle: int = 1, round: int = 1) -> "Script":
        judgement = Judgement(
            kind="supervisor", outcome=outcome, cycle=cycle, round=round, created_at=at(self.time)
        )
        self.judgements.append(judgement)
        return self

    def rows(self, status: str = Status.AWAITING_REVIEW, **given: Any) -> list[Row]:
        run = Run(flow="item", status=status, **given)
        return rows(run, self.events, self.calls, self.judgements, at(self.time))


def badge(node: str, attempt: int) -> str:
    return "REVIEW" if node == "supervisor" else "FIX" if attempt > 1 else ""


def seen(found: list[Row]) -> list[str]:
    """Each row as words: node, badge and attempt, state, its call, its verdict, its reason."""
    return [
        " ".join(
            str(part)
            for part in (
                row.node or "wait",
                row.badge and f"{row.badge} {row.attempt}",
                row.state,
                row.call and f"#{row.call.pk}",
                row.verdict,
                row.reason,
            )
            if part
        )
        for row in found
    ]


def fixed() -> Script:
    """A run that was fixed once and passed."""
    script = Script().status("generating").ask("extraction").status("reviewing").ask("supervisor")
    script.judged("failed").status("fixing").ask("extraction", 2).status("reviewing").ask("supervisor", 2)
    return script.judged("passed", 2).status("awaiting_review")


FIXED = [
    "extraction done #1",
    "supervisor REVIEW 1 done #2 failed",
    "extraction FIX 2 done #3",
    "supervisor REVIEW 2 done #4 passed",
]
POSTPONED = ("overloaded", "extraction failed #1 overloaded")
CASES: dict[str, tuple[Script, dict[str, Any], list[str]]] = {
    "nothing yet": (Script(), {"status": "queued"}, []),
    "a fix that helped": (fixed(), {}, FIXED),
    "running": (
        Script().status("generating").enter("extraction"), {"status": "generating"}, ["extraction running"]
    ),
    "answered, not told yet": (
        Script().enter("extraction").call("extraction"), {"status": "generating"}, ["extraction done #1"]
    ),
    "the worker's lease ran out": (
        Script().enter("extraction"), {"status": "generating", "lease_expires_at": at(-1)}, ["extraction lost"]
    ),
    "postponed": (
        Script().ask("extraction", error="overloaded").status("queued", detail="overloaded"),
        {"status": "queued", "error": {"code": "overloaded"}, "next_attempt_at": at(9)},
        ["extraction failed #1 overloaded", "wait waiting overloaded"],
    ),
    "waits for a worker": (Script().status("queued"), {"status": "queued"}, ["wait waiting"]),
    "came again": (
        Script().ask("extraction", error="overloaded").status("queued", detail="overloaded").status("generating")
        .ask("extraction").status("reviewing").ask("supervisor").judged("passed").status("awaiting_review"),
        {},
        ["extraction failed #1 overloaded", "wait waited overloaded", "extraction done #2",
         "supervisor REVIEW 1 done #3 passed"],
    ),
    "asked twice in one cycle": (
        Script().ask("extraction").ask("extraction"), {}, ["extraction done #1", "extraction done #2"]
    ),
    "killed before the answer, taken up": (
        Script().enter("extraction").status("generating").ask("extraction"),
        {},
        ["extraction lost", "extraction done #1"],
    ),
    "killed twice, without any status": (
        Script().enter("extraction").enter("extraction").ask("extraction"),
        {},
        ["extraction lost", "extraction lost", "extraction done #1"],
    ),
    "killed between answer and event": (
        Script().enter("extraction").call("extraction").status("reviewing").ask("supervisor").judged("passed"),
        {},
        ["extraction done #1", "supervisor REVIEW 1 done #2 passed"],
    ),
    "killed between answer and event, then asked again": (
        Script().enter("extraction").call("extraction").ask("extraction"),
        {},
        ["extraction done #1", "extraction done #2"],
    ),
    "broke here and came again": (
        Script().enter("extraction").status("queued", detail="internal_error").status("generating")
        .ask("extraction"),
        {},
        ["extraction failed internal_error", "wait waited internal_error", "extraction done #1"],
    ),
    "cancelled while it was asked": (
        Script().enter("extraction").status("stopped", detail="cancelled"),
        {"status": "stopped"},
        ["extraction stopped cancelled"],
    ),
    "cancelled, and the answer came after": (
        Script().enter("extraction").status("stopped").call("extraction").complete("extraction"),
        {"status": "stopped"},
        ["extraction done #1"],
    ),
    "cancelled while it waited": (
        Script().ask("extraction", error="timeout").status("queued", detail="timeout").status("stopped"),
        {"status": "stopped"},
        ["extraction failed #1 timeout", "wait waited timeout"],
    ),
    "over, though nothing told its end": (
        Script().enter("extraction"), {"status": "failed"}, ["extraction lost"]
    ),
    "the judge fell out": (
        Script().ask("extraction").ask("supervisor", error="refused").judged("unavailable"),
        {"status": "needs_human_review"},
        ["extraction done #1", "supervisor REVIEW 1 failed #2 unavailable refused"],
    ),
    "judged by rule alone": (
        Script().ask("extraction").judged("failed").ask("extraction", 2).judged("passed", 2),
        {},
        ["extraction done #1", "supervisor REVIEW 1 done failed", "extraction FIX 2 done #2",
         "supervisor REVIEW 2 done passed"],
    ),
    "a second round": (
        fixed().status("queued", 2).status("generating", 2).ask("extraction", round=2).ask("supervisor", round=2)
        .judged("passed", round=2),
        {},
        [*FIXED, "wait waited", "extraction done #5", "supervisor REVIEW 1 done #6 passed"],
    ),
    "completed, though never entered": (Script().complete("extraction"), {}, []),
    "calls without events, as of an import": (Script().call("extraction"), {}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_each_row_says(case: str) -> None:
    script, run, expected = CASES[case]
    assert seen(script.rows(**run)) == expected


def test_an_answer_that_was_no_judgement_is_told_apart_from_one_that_passed() -> None:
    script = Script().ask("extraction").ask("supervisor").ask("supervisor").judged("unavailable")
    assert [(row.unused, row.is_unjudged) for row in script.rows(status="needs_human_review")] == [
        (False, False), (True, True), (False, True),
    ]  # fmt: skip
    assert [row.is_unjudged for row in fixed().rows()] == [False] * 4
    running = Script().ask("extraction").ask("supervisor").rows(status="reviewing")
    assert running[-1].is_unjudged, "nobody knows yet what its answer means"


def test_an_event_clock_that_stands_still_changes_nothing_but_the_waits() -> None:
    for script, run, expected in CASES.values():
        still = deepcopy(script)
        still.time = 0
        things: list[Any] = [*still.events, *still.calls, *still.judgements]
        for thing in things:
            thing.created_at = NOON
        assert seen(still.rows(**run)) == [words for words in expected if not words.startswith("wait waited")]


def test_lengths_are_the_events_or_the_calls_whichever_is_longer() -> None:
    script = Script().ask("extraction")
    (row,) = script.rows()
    assert row.took(NOON) == timedelta(seconds=1)
    row.ended = row.began
    assert row.took(NOON) == timedelta(milliseconds=500)
    row.began = at(60)  # a clock that went back
    assert row.took(NOON) == timedelta(milliseconds=500)


def test_what_goes_on_is_measured_until_now() -> None:
    script = Script().ask("extraction").status("reviewing").enter("supervisor")
    running = script.rows("reviewing")[-1]
    assert (running.ended, running.took(at(13))) == (None, timedelta(seconds=10))


def test_a_wait_tells_until_when() -> None:
    script = Script().ask("extraction", error="spend_cap").status("queued", detail="spend_cap")
    waiting = script.rows("queued", next_attempt_at=at(3600))[-1]
    assert waiting.until == at(3600) and waiting.is_wait and waiting.is_open


def test_a_wait_that_nobody_would_notice_is_left_out() -> None:
    script = Script(step=0.2).status("queued").status("generating").ask("extraction")
    assert seen(script.rows()) == ["extraction done #1"]
