"""One time axis: gaps are cut, lines stand at round steps, and nothing is drawn as nothing or beyond the edge."""

from datetime import UTC, datetime, timedelta

import pytest

from generation.axis import NARROWEST, Axis, Scale, axis, scale
from generation.durations import took

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("busy", "time", "drawn"),
    [
        ([(0, 10)], 0, 0),
        ([(0, 10)], 10, 10),
        ([(0, 10)], 4.5, 4.5),
        ([(0, 10)], -5, 0),  # a clock that went back
        ([(0, 5), (5.1, 10)], 10, 10),  # a gap that nobody would see
        ([(0, 5), (305, 310)], 5, 5),
        ([(0, 5), (305, 310)], 155, 5.3),  # half of the gap, which is drawn as 6 % of ten seconds
        ([(0, 5), (305, 310)], 305, 5.6),
        ([(0, 5), (305, 310)], 310, 10.6),
        ([(0, 8), (2, 4), (3, 10)], 10, 10),  # spans that overlap
        ([(5, 4)], 0, 0),  # an end before its beginning
        ([(100, 110)], 100, 0.6),  # nothing ran at first
        ([], 3600, 0.2),
    ],
)
def test_long_gaps_are_cut(busy: list[tuple[float, float]], time: float, drawn: float) -> None:
    spans = [(at(a), at(b)) for a, b in busy]
    end = at(max([b for _a, b in busy] + [time]))
    assert scale(NOON, spans, end).seconds(at(time)) == pytest.approx(drawn)


@pytest.mark.parametrize(
    ("seconds", "grows", "length", "step"),
    [
        (10, False, 10, 2),
        (12, False, 12, 2),
        (12.1, False, 12.1, 5),
        (0.06, False, 0.06, 0.01),
        (0, False, 0.005, 0.01),
        (10, True, 14, 2),
        (0, True, 0.02, 0.01),
        (95, True, 150, 30),
        (40 * 86400, False, 40 * 86400, 86400),
    ],
)
def test_lines_stand_at_round_steps(seconds: float, grows: bool, length: float, step: float) -> None:
    found = axis(seconds, grows=grows)
    assert (found.length, found.step) == pytest.approx((length, step))


def test_lines_are_placed_in_per_cent() -> None:
    assert Axis(12, 5).ticks == [
        (0, timedelta(0)), (41.667, timedelta(seconds=5)), (83.333, timedelta(seconds=10))
    ]  # fmt: skip


@pytest.mark.parametrize(("began", "ended"), [(0, 0), (5, 5), (10, 10), (3, 3.001), (12, 20), (0, 10), (9.99, 10)])
def test_bars_are_seen_and_stay_inside(began: float, ended: float) -> None:
    bar = Axis(10, 2).bar(Scale(NOON), at(began), at(ended))
    assert bar.width >= NARROWEST
    assert bar.start >= 0 and bar.start + bar.width <= 100.001


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 ms"),
        (0, "0 ms"), (0.04, "40 ms"), (0.949, "949 ms"), (1, "1.0 s"), (1.44, "1.4 s"), (9.94, "9.9 s"),
        (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min"), (125, "2 min 5 s"), (3599.9, "1 h"), (11040, "3 h 4 min"),
        (90000, "25 h"),
    ],
)  # fmt: skip
def test_lengths_in_words(seconds: float, words: str) -> None:
    assert took(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (0.295, "0 s"), (5, "5 s"), (5.9, "5 s"), (65.9, "1 min 5 s")]
)
def test_full_seconds_alone(seconds: float, words: str) -> None:
    assert took(timedelta(seconds=seconds), whole=True) == words
