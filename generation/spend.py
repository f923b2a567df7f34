"""What calls cost, and the cap per day (UTC, by the database's clock)."""

from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any

import structlog
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now, TruncDate, TruncDay

from generation.models import DailySpend
from generation.providers.base import Usage

log = structlog.get_logger(__name__)
MILLION = Decimal(1_000_000)
ADD = (
    "INSERT INTO generation_dailyspend (day, cost_usd) VALUES ((now() AT TIME ZONE 'UTC')::date, %s)"
    " ON CONFLICT (day) DO UPDATE SET cost_usd = generation_dailyspend.cost_usd + EXCLUDED.cost_usd"
)


class CapReached(Exception):
    """Today's money is spent."""


def cost(provider: str, model: str, usage: Usage) -> Decimal:
    """US dollars by `PRICES_USD`; a dated model ("name-20260101") has the price of its name."""
    names = [name for name in settings.PRICES_USD if model == name or model.startswith(f"{name}-")]
    if not names:
        if provider == "anthropic":
            log.warning("price_unknown", model=model)
        return Decimal(0)
    fresh, out, written, read = (Decimal(price) for price in settings.PRICES_USD[max(names, key=len)])
    tokens = (
        fresh * usage.input_tokens
        + out * usage.output_tokens
        + written * usage.cache_write_tokens
        + read * usage.cache_read_tokens
    )
    return (tokens / MILLION).quantize(Decimal("0.000001"))


def add(amount: Decimal) -> None:
    """Add to today's sum, in one statement."""
    if amount:
        with connection.cursor() as cursor:
            cursor.execute(ADD, [amount])


def check() -> None:
    """Raises CapReached where today's calls have cost the cap already. No cap: no query."""
    cap = settings.FOLDBACK_SPEND_CAP_USD
    if cap and DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC), cost_usd__gte=cap).exists():
        raise CapReached


def next_day() -> Any:
    """The next midnight, UTC, as a database expression."""
    return TruncDay(Now(), tzinfo=UTC) + timedelta(days=1)
