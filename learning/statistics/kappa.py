"""Cohen's kappa of a two by two table, with its large-sample interval."""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

Z = 1.959963984540054  # the normal distribution's 97.5 per cent
# Why a table has no kappa: nothing was compared; one or both said the same of all.
Reason = Literal["nothing", "first_constant", "second_constant"]


@dataclass(frozen=True)
class Kappa:
    """value: from -1 to 1, 0 where both agree as often as by chance; low and high bound it at 95 per cent.

    expected: the share in which two who say what each says, but independently, would agree.
    """

    value: float
    error: float  # standard
    expected: float

    @property
    def low(self) -> float:
        return max(-1.0, self.value - Z * self.error)

    @property
    def high(self) -> float:
        return min(1.0, self.value + Z * self.error)


def kappa(both: int, first: int, second: int, neither: int) -> Kappa | Reason:
    """both, neither: of so many they said the same; first, second: only that one said yes. ValueError below 0.

    Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72, equation 13: the standard error where kappa need
    not be 0. Where one of the two says the same of all, kappa is 0 or not defined whatever the other says, with no
    error at all: it knows nothing of their agreement, and a reason is told instead.
    """
    if min(both, first, second, neither) < 0:
        raise ValueError("a count is below 0")
    of = both + first + second + neither
    if not of:
        return "nothing"
    yes_first, yes_second = (both + first) / of, (both + second) / of
    if yes_first in (0, 1):
        return "first_constant"
    if yes_second in (0, 1):
        return "second_constant"
    observed = (both + neither) / of
    expected = yes_first * yes_second + (1 - yes_first) * (1 - yes_second)
    value = (observed - expected) / (1 - expected)
    rest = 1 - value
    same = sum(
        share / of * (1 - margins * rest) ** 2
        for share, margins in ((both, yes_first + yes_second), (neither, 2 - yes_first - yes_second))
    )
    # A count stands in its row and its column; the other way round weigh the margins.
    other = rest**2 * (
        first / of * (yes_second + 1 - yes_first) ** 2 + second / of * (yes_first + 1 - yes_second) ** 2
    )
    chance = (value - expected * rest) ** 2
    error = sqrt(max(0.0, same + other - chance) / of) / (1 - expected)
    return Kappa(value, error, expected)
