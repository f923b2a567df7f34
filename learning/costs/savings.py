"""What guidance adds to prompts, and what the provider's cache saves, at the prices of today."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.conf import settings

from generation.spend import Prices, prices_of
from learning.costs.counts import ECONOMY, Sums
from learning.costs.counts import added as summed
from learning.costs.measures import money


@dataclass(frozen=True)
class Added:
    """Injected texts. Tokens by the rule of thumb; their money as if none of them came from the cache."""

    calls: int
    guided: int  # calls with anything injected
    characters: int
    tokens: int
    micro: float | None  # millionths of a dollar; None where a model's price is not known
    accepted: int

    @property
    def share(self) -> float | None:
        """Of calls, 0 to 1."""
        return self.guided / self.calls if self.calls else None

    @property
    def characters_per_prompt(self) -> int:
        return round(self.characters / self.guided) if self.guided else 0

    @property
    def tokens_per_prompt(self) -> int:
        return round(self.tokens / self.guided) if self.guided else 0

    @property
    def money(self) -> str:
        """Per accepted record."""
        return money(self.micro / self.accepted) if self.micro is not None and self.accepted else "–"


@dataclass(frozen=True)
class Saved:
    """read, written: tokens. gained: what reads would have cost more as fresh input; surcharge: what writes cost
    more; both in millionths of a dollar, None where a model's price is not known."""

    input: int  # tokens, all of them
    read: int
    written: int
    gained: float | None
    surcharge: float | None
    accepted: int

    @property
    def share(self) -> float | None:
        """Of input tokens that came from the cache, 0 to 1."""
        return self.read / self.input if self.input else None

    @property
    def micro(self) -> float | None:
        return None if self.gained is None or self.surcharge is None else self.gained - self.surcharge

    @property
    def money(self) -> str:
        """Per accepted record; with its sign, where writing cost more than reading saved."""
        if self.micro is None or not self.accepted:
            return "–"
        words = money(abs(self.micro) / self.accepted)
        return f"−{words}" if self.micro < 0 else words


def added(models: Mapping[str, Sums], accepted: int) -> Added:
    """models: model → sums."""
    total = summed(models.values())
    return Added(
        calls=total["calls"],
        guided=total["guided"],
        characters=total["injected_characters"],
        tokens=total["injected_tokens"],
        micro=_micro(models, {"injected_tokens": lambda prices: float(prices.fresh)}),
        accepted=accepted,
    )


def saved(models: Mapping[str, Sums], accepted: int) -> Saved:
    """models: model → sums."""
    total = summed(models.values())
    read, written = total["cache_read_tokens"], total["cache_write_tokens"]
    return Saved(
        input=total["input_tokens"] + read + written,
        read=read,
        written=written,
        gained=_micro(models, {"cache_read_tokens": lambda prices: float(prices.fresh - prices.read)}),
        surcharge=_micro(models, {"cache_write_tokens": lambda prices: float(prices.written - prices.fresh)}),
        accepted=accepted,
    )


def _micro(models: Mapping[str, Sums], places: Mapping[str, Callable[[Prices], float]]) -> float | None:
    """Tokens times dollars per million are millionths of a dollar. None where any of it has no price."""
    found = 0.0
    for model, sums in models.items():
        for place, price in places.items():
            if sums[place]:
                prices = prices_of(model.removesuffix(ECONOMY))
                if prices is None:
                    return None
                share = float(settings.BATCH_PRICE_SHARE) if model.endswith(ECONOMY) else 1
                found += share * price(prices) * sums[place]
    return found
