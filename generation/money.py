"""Sums of money, as people read them."""

from decimal import Decimal


def dollars(amount: Decimal) -> str:
    """Cents at least, and whatever is smaller only where there is something: "$12.50", "$0.0042"."""
    exact = max(amount.normalize(), Decimal(0))
    return f"${exact:f}" if exact != exact.quantize(Decimal("0.01")) else f"${exact:.2f}"
