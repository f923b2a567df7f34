"""What an accepted record costs is told in: money, tokens, and the time that models took."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from generation.durations import took
from generation.money import dollars
from learning.costs.counts import Sums

MILLION = 1_000_000
SMALL, CENT = Decimal("0.0001"), Decimal("0.01")
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


@dataclass(frozen=True)
class Measure:
    """of, first: what sums come to, of all rounds and of the first ones; words: a mean as people read it;
    told: the same with its unit; nothing: the sentence where sums come to nothing."""

    label: Promise
    of: Callable[[Sums], int]
    first: Callable[[Sums], int]
    words: Callable[[float], str]
    told: Callable[[float], str]
    nothing: Promise


def money(micro: float) -> str:
    """Of millionths of a dollar: hundredths of a cent below a dollar, so that columns line up; else to cents."""
    amount = Decimal(micro) / MILLION
    if 0 < amount < SMALL / 2:
        return f"< ${SMALL}"
    return f"${amount.quantize(SMALL)}" if 0 < amount < 1 else dollars(amount.quantize(CENT))


def tokens(count: float) -> str:
    return f"{round(count):,}"


def tokens_told(count: float) -> str:
    return ngettext("%s token", "%s tokens", round(count)) % tokens(count)


def time(milliseconds: float) -> str:
    return took(timedelta(milliseconds=milliseconds))


MEASURES: dict[str, Measure] = {
    "money": Measure(
        _("Money"),
        lambda sums: sums["cost"],
        lambda sums: sums["first_cost"],
        money,
        money,
        _("No cost of these calls is known."),
    ),
    "tokens": Measure(
        _("Tokens"),
        lambda sums: sum(sums[place] for place in TOKENS),
        lambda sums: sums["first_tokens"],
        tokens,
        tokens_told,
        _("The provider told of no tokens."),
    ),
    "time": Measure(
        _("Time of models"),
        lambda sums: sums["duration_ms"],
        lambda sums: sums["first_duration_ms"],
        time,
        time,
        _("The models took no time that was measured."),
    ),
}
