"""Shares with how sure they are: Wilson's score interval, which holds for few runs and for shares near 0 and 1."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

Z = 1.959963984540054  # 95 per cent


def z_of(confidence: float) -> float:
    """How many standard errors a two-sided interval of that confidence, from 0 to 1, reaches to each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


@dataclass(frozen=True)
class Rate:
    """count of `of`; low and high bound its share in per cent, at 95 % unless `z` differs. Of none, all may be."""

    count: int
    of: int
    z: float = Z

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
        z = self.z
        middle = share + z * z / (2 * n)
        spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        whole = 1 + z * z / n
        return max(0.0, 100 * (middle - spread) / whole), min(100.0, 100 * (middle + spread) / whole)

    def minus(self, other: "Rate") -> tuple[float, float]:
        """What the difference of the two shares may be, in points, at the confidence of both.

        Newcombe, R. G. (1998), Statistics in Medicine 17, method 10, which joins Wilson's bounds.
        """
        here, there = self.percent, other.percent
        if here is None or there is None:
            return -100.0, 100.0
        middle = here - there
        down = sqrt((here - self.low) ** 2 + (other.high - there) ** 2)
        up = sqrt((self.high - here) ** 2 + (there - other.low) ** 2)
        return middle - down, middle + up
