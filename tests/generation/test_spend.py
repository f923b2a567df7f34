"""What a call costs."""

from decimal import Decimal

import pytest
from pytest_django.fixtures import Settings

from generation.providers.base import Usage
from generation.spend import cost

USAGE = Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=10_000, cache_write_tokens=2000)


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("big", "0.016000"),  # 1000 × 3 + 100 × 15 + 2000 × 4.25 + 10000 × 0.3, by the million
        ("big-20260101", "0.016000"),
        ("big-small", "0.001000"),  # the longest name that fits
        ("bigger", "0"),
        ("", "0"),
    ],
)
def test_cost(settings: Settings, model: str, dollars: str) -> None:
    settings.PRICES_USD = {"big": ("3", "15", "4.25", "0.3"), "big-small": ("1", "0", "0", "0")}
    assert cost("anthropic", model, USAGE) == Decimal(dollars)


@pytest.mark.parametrize(("model", "dollars"), [("big", "0.030003"), ("unknown", "0.03")])
def test_searches_cost_beside_their_tokens(settings: Settings, model: str, dollars: str) -> None:
    settings.PRICES_USD = {"big": ("3", "0", "0", "0")}
    assert cost("anthropic", model, Usage(input_tokens=1, searches=3)) == Decimal(dollars)
