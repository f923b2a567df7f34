"""Calls: each is stored as it was sent, with what learning put into it; none is paid for twice."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Case, F, JSONField, QuerySet, Value, When
from django.db.models.functions import Coalesce

from generation import spend
from generation.assembly import Assembled
from generation.database_faults import drop_if_cut
from generation.guidance import Guidance
from generation.models import Call, Injection, PromptVersion, Run
from generation.providers.base import Answer, Provider, ProviderError, Request
from generation.reading import storable, storable_json

log = structlog.get_logger(__name__)
STORE_AGAIN_AFTER = (0.1, 0.5, 1, 2, 4, 8, 15)  # seconds: a database that restarts is back by then


@dataclass(frozen=True)
class Step:
    """Where in a run a call belongs."""

    run_id: uuid.UUID
    round: int
    cycle: int
    stage: str

    def answered(self, number: int) -> Call | None:
        """The number-th answer that this step has got already, counted from 1."""
        return self._calls().filter(error__isnull=True).order_by("attempt")[number - 1 : number].first()

    def next_attempt(self) -> int:
        last = self._calls().order_by("-attempt").values_list("attempt", flat=True).first()
        return (last or 0) + 1

    def call(self, attempt: int) -> Call | None:
        return self._calls().filter(attempt=attempt).first()

    def _calls(self) -> QuerySet[Call]:
        return Call.objects.filter(run_id=self.run_id, round=self.round, cycle=self.cycle, stage=self.stage)


@dataclass(frozen=True)
class Prepared:
    """A request, and all that is stored beside it."""

    step: Step
    request: Request
    version: PromptVersion
    guidance: Guidance
    assembled: Assembled


def make(provider: Provider, prepared: Prepared) -> Call:
    """Ask the provider, outside any transaction, and store the call, answered or failed. Raises ProviderError."""
    begun = time.monotonic()
    try:
        answer = provider.answer(prepared.request)
    except ProviderError as error:
        said = Answer(error.answer, prepared.request.model, error.usage, error.sent)
        reason = {"code": error.code, "detail": error.detail}
        _kept(provider.name, prepared, said, _milliseconds(begun), reason)
        raise
    return _kept(provider.name, prepared, answer, _milliseconds(begun), None)


def _kept(
    provider: str, prepared: Prepared, answer: Answer, duration_ms: int, error: Mapping[str, str] | None
) -> Call:
    """Store what was paid for, though the connection was cut meanwhile, or the database is restarting."""
    number: int | None = None
    for wait in (*STORE_AGAIN_AFTER, None):
        try:
            drop_if_cut()  # while the answer was waited for, much may have happened
            if number is None:
                number = prepared.step.next_attempt()
            elif stored := prepared.step.call(number):  # the commit went through, only its echo was lost
                return stored
            return _store(provider, prepared, answer, duration_ms, error)
        except (OperationalError, InterfaceError) as failure:
            if wait is None or connection.in_atomic_block:
                raise
            log.warning("call_store_failed", stage=prepared.step.stage, error=type(failure).__name__)
            connection.close()
            time.sleep(wait)
    raise AssertionError("the last wait is None")


def _milliseconds(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def _store(
    provider: str, prepared: Prepared, answer: Answer, duration_ms: int, error: Mapping[str, str] | None
) -> Call:
    step, usage = prepared.step, answer.usage
    cost = spend.cost(provider, answer.model, usage)
    with transaction.atomic():
        # First: it locks the run, so that no two calls get one number.
        _add_to_run(prepared, answer, cost, answered=error is None)
        call = Call.objects.create(
            run_id=step.run_id,
            round=step.round,
            cycle=step.cycle,
            stage=step.stage,
            attempt=step.next_attempt(),
            prompt_version=prepared.version,
            provider=provider,
            model=answer.model,
            system=prepared.request.system,
            user=prepared.request.user,
            request=_sent(prepared, answer),
            answer=storable(answer.text),
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            cost_usd=cost,
            duration_ms=duration_ms,
            error=error,
        )
        if prepared.assembled.fragments:
            _store_injections(call, prepared.assembled)
        spend.add(cost, step.run_id)
    return call


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


def _store_injections(call: Call, assembled: Assembled) -> None:
    Injection.objects.bulk_create(
        Injection(
            call=call,
            position=position,
            placeholder=fragment.placeholder,
            guidance_key=fragment.guidance_key,
            text=fragment.text,
            reason=fragment.reason,
            evidence=list(fragment.evidence),
        )
        for position, fragment in enumerate(assembled.fragments)
    )


def _add_to_run(prepared: Prepared, answer: Answer, cost: Any, *, answered: bool) -> None:
    """Sums of tokens and money, and, once per round, the triggers as they stood.

    An answer is progress: only attempts since the last one count towards giving up.
    """
    guidance, usage = prepared.guidance, answer.usage
    sums: dict[str, Any] = {
        "input_tokens": F("input_tokens")
        + usage.input_tokens
        + usage.cache_read_tokens
        + usage.cache_write_tokens,
        "output_tokens": F("output_tokens") + usage.output_tokens,
        "cost_usd": F("cost_usd") + cost,
        "model": Case(When(model="", then=Value(answer.model[:100])), default=F("model")),
    }
    if answered:
        sums["attempts"] = 1
    if guidance.trigger_state is not None:
        state = Value(dict(guidance.trigger_state), JSONField())
        sums["trigger_state"] = Coalesce("trigger_state", state)
    run = Run.objects.filter(pk=prepared.step.run_id)
    run.update(**sums)
    if guidance.degradations:
        known = run.values_list("degradations", flat=True).get()
        run.update(degradations=list(dict.fromkeys([*known, *guidance.degradations])))
