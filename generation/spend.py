"""What calls cost, and the caps: per day (UTC, by the database's clock) and per batch."""

import uuid
from dataclasses import dataclass
from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now, TruncDate, TruncDay

from generation.models import Batch, DailySpend, Run
from generation.models.run import RunQuerySet
from generation.providers.base import Usage

log = structlog.get_logger(__name__)
MILLION = Decimal(1_000_000)
SMALLEST = Decimal("0.000001")
ADD = """
WITH batch AS (
  UPDATE generation_batch SET cost_usd = cost_usd + %(amount)s
  WHERE id = (SELECT batch_id FROM generation_run WHERE id = %(run)s)
)
INSERT INTO generation_dailyspend (day, cost_usd) VALUES ((now() AT TIME ZONE 'UTC')::date, %(amount)s)
ON CONFLICT (day) DO UPDATE SET cost_usd = generation_dailyspend.cost_usd + EXCLUDED.cost_usd
"""


BATCH_CAP = "batch_spend_cap"  # the code on the runs that wait for their batch's cap to be raised


class CapReached(Exception):
    """Today's money is spent."""


class BatchCapReached(Exception):
    """The batch's money is spent."""


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens: input, output, and input that is written to the cache or read from it."""

    fresh: Decimal
    out: Decimal
    written: Decimal
    read: Decimal


def cost(provider: str, model: str, usage: Usage, *, batched: bool = False) -> Decimal:
    """US dollars by `PRICES_USD`; a dated model ("name-20260101") has the price of its name.

    batched: its tokens cost `BATCH_PRICE_SHARE` of that; searches cost the same either way.
    """
    searches = Decimal(settings.SEARCH_PRICE_USD) * usage.searches / 1000
    prices = prices_of(model)
    if prices is None:
        if provider == "anthropic":
            log.warning("price_unknown", model=model)
        return searches.quantize(SMALLEST)
    tokens = (
        prices.fresh * usage.input_tokens
        + prices.out * usage.output_tokens
        + prices.written * usage.cache_write_tokens
        + prices.read * usage.cache_read_tokens
    )
    if batched:
        tokens *= Decimal(settings.BATCH_PRICE_SHARE)
    return (tokens / MILLION + searches).quantize(SMALLEST)


def prices_of(model: str) -> Prices | None:
    """By `PRICES_USD`; a dated model ("name-20260101") has the price of its name. None: not known."""
    names = [name for name in settings.PRICES_USD if model == name or model.startswith(f"{name}-")]
    if not names:
        return None
    return Prices(*(Decimal(price) for price in settings.PRICES_USD[max(names, key=len)]))


def add(amount: Decimal, run_id: uuid.UUID | None) -> None:
    """Add to today's sum and to that of the run's batch, in one statement. None: a call of no run."""
    if not amount:
        return
    with connection.cursor() as cursor:
        cursor.execute(ADD, {"amount": amount, "run": run_id})


def check(batch_id: uuid.UUID | None = None) -> None:
    """Raises where today's calls, or the batch's, have cost their cap already. No cap and no batch: no query.

    Calls that are under way at that moment still end: a cap is passed by what they cost, at most.
    """
    cap = settings.FOLDBACK_SPEND_CAP_USD
    if cap and DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC), cost_usd__gte=cap).exists():
        raise CapReached
    if batch_id and Batch.objects.filter(pk=batch_id, cost_usd__gte=F("spend_cap_usd")).exists():
        raise BatchCapReached


def paused(batch_id: uuid.UUID) -> RunQuerySet:
    """The batch's runs that wait for its cap to be raised."""
    return Run.objects.in_progress().filter(batch=batch_id, error__code=BATCH_CAP, lease__isnull=True)


def set_batch_cap(batch_id: uuid.UUID, cap: Decimal | None) -> int:
    """Another cap for a batch, or none; how many of its runs go on, where there is money left now."""
    with transaction.atomic():
        Batch.objects.filter(pk=batch_id).update(spend_cap_usd=cap)
        if Batch.objects.filter(pk=batch_id, cost_usd__gte=F("spend_cap_usd")).exists():
            return 0
        return paused(batch_id).update(next_attempt_at=Now())  # the sweep takes them up


def a_year_on() -> Any:
    """For runs that wait for a person: `set_batch_cap` brings them back."""
    return Now() + timedelta(days=365)


def next_day() -> Any:
    """The next midnight, UTC, as a database expression."""
    return TruncDay(Now(), tzinfo=UTC) + timedelta(days=1)
