"""A run at the lower price: the same prompts, record and trail as a run that is answered at once."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation import runs
from generation.deferring.collecting import collect
from generation.deferring.sending import send
from generation.guidance import Fragment, Guidance, GuidanceRequest
from generation.models import Call, DeferredCall, NodeEvent, Run, Submission
from generation.spans import Attributes, Kind, trace_with
from generation.trials import starting
from tests.batches_api import BatchesApi, succeeded
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.deferring.conftest import economical, exchanged, good, worked
from tests.generation.scripted import record
from tests.generation.trials.conftest import draft_of, go_on
from tests.messages_api import MessagesApi, message

pytestmark = pytest.mark.django_db
TRAIL = ("stage", "cycle", "attempt", "system", "user", "answer", "provider", "model", "error", "prompt_version")


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
    assert _calls(run) == _calls(live)
    assert [draft.content for draft in run.drafts.all()] == [draft.content for draft in live.drafts.all()]
    asked, sent = [received.body for received in far_end.received], far_end.batches.params
    assert sent == asked
    assert _told(run) == _told(live)


def _calls(run: Run) -> list[Any]:
    return list(run.calls.order_by("id").values_list(*TRAIL))


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


def test_a_search_that_the_provider_broke_off_goes_on_where_it_was(
    batches: BatchesApi, settings: Settings
) -> None:
    settings.PRICES_USD = {"claude-sonnet-5-5": ("3", "15", "3.75", "0.3")}
    run = economical(source={"title": "Makita DHP484", "search_queries": ["drill manual"]})
    worked(run)
    turn = [
        {"type": "text", "text": "I look further."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "drill manual"}},
    ]
    used = {"input_tokens": 100, "output_tokens": 10, "server_tool_use": {"web_search_requests": 2}}
    exchanged(batches, lambda params: succeeded("", content=turn, stop_reason="pause_turn", usage=used))
    worked(run)
    assert run.status == "generating" and not run.calls.exists()
    exchanged(batches)
    first, second = batches.params
    assert first["tools"][0]["name"] == "web_search"
    assert second["messages"] == [*first["messages"], {"role": "assistant", "content": turn}]
    worked(run)
    call = run.calls.get()
    assert (run.revision, call.input_tokens, call.output_tokens) == (1, 1100, 110)
    assert call.cost_usd == Decimal("0.022475")  # two searches at full price, tokens at half


def test_a_search_is_not_broken_off_for_ever(batches: BatchesApi) -> None:
    run = economical()
    worked(run)
    turn = [{"type": "text", "text": "more"}]
    for _ in range(6):
        exchanged(batches, lambda params: succeeded("", content=turn, stop_reason="pause_turn"))
    worked(run)
    assert run.status == "failed" and run.error is not None and run.error["code"] == "truncated"
    assert run.calls.get().input_tokens == 6000 and len(batches.kept) == 6


def test_what_a_run_is_asked_is_what_was_prepared(batches: BatchesApi, settings: Settings) -> None:
    """Guidance and the live version may change while it waits; the prompt as kept is the prompt as sent."""
    settings.PROMPT_RESOLVER = "tests.generation.deferring.test_economy.guided"
    run = economical()
    worked(run)
    settings.PROMPT_RESOLVER = ""
    exchanged(batches)
    call = Call.objects.get()
    asked = batches.params[0]
    assert "Measure twice." in json.dumps(asked) and "Measure twice." in call.user
    assert "".join(block["text"] for block in asked["messages"][0]["content"]) == call.user
    injection = call.injections.get()
    assert (injection.text, injection.reason, injection.evidence) == ("Measure twice.", "bad_format", [7, 9])
    run.refresh_from_db()
    assert run.trigger_state == {"bad_format_trigger": True} and call.request["guidance"]["low_confidence"] is True
    assert run.guided_by == ["bad_format_trigger"]


def guided(request: GuidanceRequest) -> Guidance:
    said = Fragment(f"{request.stage.upper()}_REVIEW", "Measure twice.", "bad_format", "bad_format.1", (7, 9))
    return Guidance(
        (said,),
        trigger_state={"bad_format_trigger": True},
        guided_by=("bad_format_trigger",),
        low_confidence=True,
    )


def guided_later(request: GuidanceRequest) -> Guidance:
    """The window as it stands hours later: one trigger let go, another came on."""
    state = {"bad_format_trigger": False, "wrong_information_trigger": True}
    return Guidance(trigger_state=state, guided_by=("wrong_information_trigger",))


def test_what_guided_any_of_its_first_prompts_is_kept(batches: BatchesApi, settings: Settings) -> None:
    run = economical()
    for resolver in ("guided", "guided_later", "guided"):
        settings.PROMPT_RESOLVER = f"tests.generation.deferring.test_economy.{resolver}"
        worked(run)
        exchanged(batches)
    worked(run)
    assert run.status == "awaiting_review" and [call.stage for call in run.calls.order_by("id")] == [
        "extraction",
        "supervisor",
    ]
    assert run.guided_by == ["bad_format_trigger", "wrong_information_trigger"]
    assert run.trigger_state == {"bad_format_trigger": True}


@pytest.mark.parametrize(
    ("reviewed", "guided_by"),
    [(False, ["bad_format_trigger", "wrong_information_trigger"]), (True, ["bad_format_trigger"])],
)
def test_what_guided_a_retried_round_is_kept_until_a_person_spoke(
    far_end: MessagesApi, settings: Settings, reviewed: bool, guided_by: list[str]
) -> None:
    settings.PROMPT_RESOLVER = "tests.generation.deferring.test_economy.guided"
    run = economical()
    worked(run)
    exchanged(far_end.batches)
    review = {"last_review_event_id": 1, "last_reviewed_at": Now()} if reviewed else {}
    Run.objects.filter(pk=run.pk).update(round=2, trigger_state=None, **review)
    settings.PROMPT_RESOLVER = "tests.generation.deferring.test_economy.guided_later"
    far_end.replies(message(record()), message("PASS"))
    worked(run)
    assert (run.status, run.guided_by) == ("awaiting_review", guided_by)


def test_an_answer_that_comes_rounds_later_speaks_of_its_own_round(
    batches: BatchesApi, settings: Settings
) -> None:
    settings.PROMPT_RESOLVER = "tests.generation.deferring.test_economy.guided"
    run = economical()
    worked(run)
    send()
    Run.objects.filter(pk=run.pk).update(round=2)
    batches.end(good)
    collect()
    run.refresh_from_db()
    assert (run.trigger_state, run.first_trigger_state) == (None, {"bad_format_trigger": True})
    assert run.guided_by == ["bad_format_trigger"]


def test_fixes_and_judgements_are_those_of_any_run(batches: BatchesApi) -> None:
    run = economical()
    said = iter(["FAIL: the voltage is missing", "PASS"])
    for _ in range(4):
        worked(run)
        exchanged(batches, lambda p: good(p) if "output_config" in p else succeeded(next(said)))
    worked(run)
    assert (run.status, run.judge_outcome, run.revision) == ("awaiting_review", "corrected", 2)
    assert [call.stage for call in run.calls.order_by("id")] == ["extraction", "supervisor"] * 2
    assert "the voltage is missing" in json.dumps(batches.params[2])


def test_a_round_that_a_person_asks_for_is_answered_at_once(far_end: MessagesApi) -> None:
    run = economical()
    for _ in range(2):
        worked(run)
        exchanged(far_end.batches)
    worked(run)
    far_end.replies(message(record(name="b")), message("PASS"))
    runs.start_round(run.pk)
    worked(run)
    assert (run.status, run.round, run.revision, len(far_end.received)) == ("awaiting_review", 2, 2, 2)


def test_many_runs_go_together(batches: BatchesApi) -> None:
    slug = SubcategoryFactory().slug
    made = [economical(subcategory=slug, source={"title": f"Drill {n}"}) for n in range(5)]
    worked(*made)
    exchanged(batches, lambda p: succeeded(record(name=re.findall(r"Drill \d", json.dumps(p["messages"]))[0])))
    assert [len(one.requests) for one in batches.kept] == [5]
    worked(*made)
    assert [run.drafts.get().content["name"] for run in made] == [f"Drill {n}" for n in range(5)]


def test_a_trial_of_such_a_run_is_answered_at_once(far_end: MessagesApi) -> None:
    run = economical()
    for _ in range(2):
        worked(run)
        exchanged(far_end.batches)
    worked(run)
    assert run.subcategory is not None
    far_end.replies(message(record(name="tried")), message("PASS"))
    by = UserFactory(is_superuser=True)
    trial = starting.start(draft_of(), run.subcategory, [run], by)
    go_on(trial)
    one = trial.runs.get()
    assert (one.status, one.drafts[0]["content"]["name"]) == ("awaiting_review", "tried")
    assert not DeferredCall.objects.exists() and run.calls.count() == 2


@dataclass
class Noted:
    """A span of a tracing that keeps all in memory, as OpenTelemetry's is tested over HTTP elsewhere."""

    name: str
    told: dict[str, Any]
    kind: str
    failed: str = ""

    def set(self, attributes: Attributes) -> None:
        self.told |= attributes

    def fail(self, kind: str) -> None:
        self.failed = kind

    def end(self) -> None: ...


class Noting:
    def __init__(self) -> None:
        self.spans: list[Noted] = []
        self.open: list[Noted] = []

    @contextmanager
    def span(
        self, name: str, attributes: Attributes, kind: Kind, parent: Mapping[str, str] | None
    ) -> Iterator[Noted]:
        noted = Noted(name, dict(attributes), kind)
        self.spans.append(noted)
        self.open.append(noted)
        yield noted
        self.open.remove(noted)

    def current(self) -> Noted | None:
        return self.open[-1] if self.open else None

    def carried(self) -> dict[str, str]:
        return {}


@pytest.fixture
def noting() -> Iterator[Noting]:
    kept = Noting()
    trace_with(kept)
    yield kept
    trace_with(None)


def test_traces_know_what_was_parked_and_what_came_of_it(batches: BatchesApi, noting: Noting) -> None:
    run = economical()
    worked(run)
    assert [(one.name, one.told["foldback.status"]) for one in noting.spans] == [("generate item", "parked")]
    exchanged(batches)
    worked(run)
    exchanged(batches, lambda params: {"type": "expired"})
    good_one, bad_one = [one for one in noting.spans if one.name.startswith("chat ")]
    model = run.calls.order_by("id")[0].model
    assert (good_one.name, good_one.kind, good_one.failed) == (f"chat {model}", "client", "")
    assert good_one.told["foldback.run.id"] == str(run.pk) and good_one.told["foldback.stage"] == "extraction"
    assert (good_one.told["gen_ai.usage.input_tokens"], good_one.told["gen_ai.usage.output_tokens"]) == (1000, 100)
    assert bad_one.failed and bad_one.told["foldback.stage"] == "supervisor"
