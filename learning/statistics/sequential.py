"""Two shares compared at any time, as often as one likes: an e-value, and an interval for their difference.

Universal inference (Wasserman, Ramdas, Balakrishnan 2020, PNAS 117): what the counts are worth under shares drawn
from Jeffreys' prior, over what they are worth at most under the hypothesis. Under it such an e-value exceeds 1/α
at any time with a chance of at most α (Ville's inequality), however often it is looked at and whatever ends it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import acos, cos, exp, inf, lgamma, log, pi, sqrt

ALPHA = 0.05
STEPS = 40  # of each bisection
MANY = 50_000  # reviews; further than that nobody plans
_ROOT_PI = 2 * lgamma(0.5)


@dataclass(frozen=True)
class Arm:
    """count of `of`; whole numbers where they were counted, any where they are foreseen."""

    count: float
    of: float

    @property
    def share(self) -> float:
        return self.count / self.of

    def plus(self, more: float, share: float) -> "Arm":
        return Arm(self.count + more * share, self.of + more)


def log_e(one: Arm, other: Arm) -> float:
    """The e-value's logarithm against "both shares are the same". 0 of nothing."""
    return _log_mixture(one) + _log_mixture(other) - _log_best(one.count + other.count, one.of + other.of)


def e_value(one: Arm, other: Arm) -> float:
    return exp(min(700.0, log_e(one, other)))


def interval(one: Arm, other: Arm, alpha: float = ALPHA) -> tuple[float, float]:
    """Bounds of `one`'s share less `other`'s, which hold at all times at once with a chance of 1 - α.

    The differences that the same test does not refuse: 0 is outside just where the e-value reaches 1/α.
    """
    if not one.of or not other.of:
        return -1.0, 1.0
    least = _log_mixture(one) + _log_mixture(other) + log(alpha)
    seen = one.share - other.share

    def refused(difference: float) -> bool:
        return _log_profile(one, other, difference) <= least

    return _edge(seen, -1.0, refused), _edge(seen, 1.0, refused)


def reviews_until_seen(
    one: Arm, other: Arm, rates: tuple[float, float], share: float, alpha: float = ALPHA
) -> float:
    """How many more reviews it takes until the e-value reaches 1/α at these rates; inf beyond MANY.

    share: of the reviews that go to `other`. Foreseen without noise: about every second time it takes longer.
    """

    def seen(more: float) -> bool:
        here, there = one.plus(more * (1 - share), rates[0]), other.plus(more * share, rates[1])
        return log_e(here, there) >= -log(alpha)

    high = 1.0
    while not seen(high):
        high *= 2
        if high > MANY:
            return inf
    low = 0.0
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def discoveries(log_es: Iterable[float], alpha: float = ALPHA) -> list[bool]:
    """Which of many e-values count where at most a share of α of those that do shall be wrong: e-BH.

    Wang and Ramdas (2022), JRSS B 84: holds however the tests hang together.
    """
    found = list(log_es)
    order = sorted(range(len(found)), key=lambda place: -found[place])
    last = max(
        (rank for rank, place in enumerate(order, 1) if found[place] >= log(len(found) / (alpha * rank))),
        default=0,
    )
    kept = set(order[:last])
    return [place in kept for place in range(len(found))]


def _log_mixture(arm: Arm) -> float:
    """Of a sequence with these counts, its share drawn from Beta(1/2, 1/2)."""
    return lgamma(arm.count + 0.5) + lgamma(arm.of - arm.count + 0.5) - lgamma(arm.of + 1) - _ROOT_PI


def _log_best(count: float, of: float) -> float:
    """Of a sequence with these counts, at the share that suits it best."""
    return _log_likelihood(count, of, count / of) if of else 0.0


def _log_likelihood(count: float, of: float, share: float) -> float:
    return _times_log(count, share) + _times_log(of - count, 1 - share)


def _times_log(count: float, chance: float) -> float:
    if count <= 0:
        return 0.0
    return count * log(chance) if chance > 0 else -inf


def _log_profile(one: Arm, other: Arm, difference: float) -> float:
    """Of both, at the shares that suit them best among those that differ by so much."""
    low, high = max(0.0, -difference), min(1.0, 1.0 - difference)
    share = min(max(_best_of_difference(one, other, difference), low), high)
    here = min(max(share + difference, 0.0), 1.0)
    return _log_likelihood(one.count, one.of, here) + _log_likelihood(other.count, other.of, share)


def _best_of_difference(one: Arm, other: Arm, difference: float) -> float:
    """`other`'s share: the root of a cubic (Miettinen and Nurminen 1985, Statistics in Medicine 4, appendix I)."""
    every, counted = one.of + other.of, one.count + other.count
    square = (one.of + 2 * other.of) * difference - every - counted
    linear = (other.of * difference - every - 2 * other.count) * difference + counted
    constant = other.count * difference * (1 - difference)
    third = square / (3 * every)
    q = third**3 - linear * square / (6 * every**2) + constant / (2 * every)
    root = sqrt(max(0.0, third**2 - linear / (3 * every)))
    p = root if q >= 0 else -root
    turn = 0.0 if p == 0 else min(1.0, max(-1.0, q / p**3))
    return 2 * p * cos((pi + acos(turn)) / 3) - third


def _edge(inside: float, end: float, refused: Callable[[float], bool]) -> float:
    """Where `refused` begins between a point that is not and the end; the end where it never does."""
    if not refused(end):
        return end
    for _ in range(STEPS):
        middle = (inside + end) / 2
        inside, end = (inside, middle) if refused(middle) else (middle, end)
    return end
