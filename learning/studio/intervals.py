"""Shares with how sure they are: Wilson's score interval, which holds for few runs and for shares near 0 and 1."""

from dataclasses import dataclass
from math import sqrt

Z = 1.96  # 95 per cent


@dataclass(frozen=True)
class Rate:
    """count of `of`; low and high bound its share in per cent. Of none nothing is known."""

    count: int
    of: int

    @property
    def percent(self) -> float | None:
        return 100 * self.count / self.of if self.of else None

    @property
    def low(self) -> float:
        return self._bounds[0]

    @property
    def high(self) -> float:
        return self._bounds[1]

    @property
    def _bounds(self) -> tuple[float, float]:
        """Wilson, E. B. (1927), Journal of the American Statistical Association 22."""
        if not self.of:
            return 0.0, 100.0
        n, share = self.of, self.count / self.of
        middle = share + Z * Z / (2 * n)
        spread = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        whole = 1 + Z * Z / n
        return max(0.0, 100 * (middle - spread) / whole), min(100.0, 100 * (middle + spread) / whole)

    def overlaps(self, other: "Rate") -> bool:
        """Whether both may be one and the same share: then the difference between them may be chance."""
        return self.low <= other.high and other.low <= self.high
