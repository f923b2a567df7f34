"""Calls: each is kept as it was sent, with what learning put into it; none is paid for twice."""

import time
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import structlog
from django.db import InterfaceError, OperationalError, connection

from generation import spend
from generation.assembly import Assembled
from generation.database_faults import drop_if_cut
from generation.guidance import Guidance
from generation.models import Call, PromptVersion
from generation.providers.base import Answer, Provider, ProviderError, Request, Usage
from generation.reading import storable, storable_json
from generation.spans import Span, span

if TYPE_CHECKING:
    from generation.trail import Trail

log = structlog.get_logger(__name__)
STORE_AGAIN_AFTER = (0.1, 0.5, 1, 2, 4, 8, 15)  # seconds: a database that restarts is back by then


@dataclass(frozen=True)
class Step:
    """Where in a run a call belongs."""

    run_id: uuid.UUID
    round: int
    cycle: int
    stage: str


@dataclass(frozen=True)
class Prepared:
    """A request, and all that is kept beside it."""

    step: Step
    request: Request
    version: PromptVersion
    guidance: Guidance
    assembled: Assembled


@dataclass(frozen=True)
class Said:
    """What came back of one request; error: {"code", "detail"} of one that failed."""

    provider: str
    answer: Answer
    duration_ms: int
    error: Mapping[str, str] | None = None
    batched: bool = False  # by the provider's batch interface, at its price

    @property
    def cost(self) -> Decimal:
        """US dollars."""
        return spend.cost(self.provider, self.answer.model, self.answer.usage, batched=self.batched)


def make(provider: Provider, prepared: Prepared, trail: "Trail") -> Call:
    """Ask the provider, outside any transaction, and keep the call, answered or failed. Raises ProviderError."""
    begun = time.monotonic()
    try:
        answer = _asked(provider, prepared.request)
    except ProviderError as error:
        sent = Answer(error.answer, prepared.request.model, error.usage, error.sent)
        reason = {"code": error.code, "detail": error.detail}
        _kept(trail, prepared, Said(provider.name, sent, _milliseconds(begun), reason))
        raise
    return _kept(trail, prepared, Said(provider.name, answer, _milliseconds(begun)))


def _asked(provider: Provider, request: Request) -> Answer:
    with chat(provider.name, request) as kept:
        try:
            answer = provider.answer(request)
        except ProviderError as error:
            kept.set(used(error.usage))
            raise
        kept.set({"gen_ai.response.model": answer.model, **used(answer.usage)})
        return answer


def chat(provider: str, request: Request) -> AbstractContextManager[Span]:
    """A span after OpenTelemetry's conventions for generative AI, which count cached tokens as input, too."""
    name, told = f"chat {request.model}", {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider}
    return span(name, {**told, "gen_ai.request.model": request.model}, kind="client")


def used(usage: Usage) -> dict[str, int]:
    read, written = usage.cache_read_tokens, usage.cache_write_tokens
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens + read + written,
        "gen_ai.usage.cache_read.input_tokens": read,
        "gen_ai.usage.cache_creation.input_tokens": written,
        "gen_ai.usage.output_tokens": usage.output_tokens,
    }


def _kept(trail: "Trail", prepared: Prepared, said: Said) -> Call:
    """Keep what was paid for, though the connection was cut meanwhile, or the database is restarting."""
    number: int | None = None
    for wait in (*STORE_AGAIN_AFTER, None):
        try:
            drop_if_cut()  # while the answer was waited for, much may have happened
            if number is None:
                number = trail.next_attempt(prepared.step)
            elif kept := trail.call(prepared.step, number):  # the commit went through, only its echo was lost
                return kept
            return trail.keep_call(prepared, said)
        except (OperationalError, InterfaceError) as failure:
            if wait is None or connection.in_atomic_block:
                raise
            log.warning("call_store_failed", stage=prepared.step.stage, error=type(failure).__name__)
            connection.close()
            time.sleep(wait)
    raise AssertionError("the last wait is None")


def _milliseconds(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def columns(prepared: Prepared, said: Said) -> dict[str, Any]:
    """What every table of calls holds of one (`Asked`), but whose it is and which attempt."""
    usage = said.answer.usage
    return {
        "cycle": prepared.step.cycle,
        "stage": prepared.step.stage,
        "prompt_version": prepared.version,
        "provider": said.provider,
        "model": said.answer.model,
        "system": prepared.request.system,
        "user": prepared.request.user,
        "request": _sent(prepared, said.answer),
        "answer": storable(said.answer.text),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cost_usd": said.cost,
        "duration_ms": said.duration_ms,
        "error": said.error,
    }


def _sent(prepared: Prepared, answer: Answer) -> dict[str, Any]:
    """The request as sent, and beside it what guidance decided about it."""
    search, guidance = prepared.request.search, prepared.guidance
    return {
        **storable_json(dict(answer.sent)),
        "search": {"broad": search.broad, "queries": list(search.queries)},
        "guidance": {
            "broad_search": guidance.broad_search,
            "force_formatter": guidance.force_formatter,
            "low_confidence": guidance.low_confidence,
            "example_run": str(guidance.example_run) if guidance.example_run else None,
            "degradations": list(guidance.degradations),
        },
    }
