"""Sums of money as people read them."""

from decimal import Decimal

import pytest

from generation.money import dollars


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("0", "$0.00"),
        ("12.500000", "$12.50"),
        ("8.214400", "$8.2144"),
        ("0.000220", "$0.00022"),
        ("1000", "$1000.00"),
        ("0.1", "$0.10"),
        ("1E+3", "$1000.00"),
    ],
)
def test_cents_at_least(amount: str, words: str) -> None:
    assert dollars(Decimal(amount)) == words
