"""Coordinates of server-drawn charts."""

import pytest

from learning.drawing import Line, along, line, share


@pytest.mark.parametrize(
    ("values", "points"),
    [
        ([0, 1], "3,21.0 69.0,3.0"),
        ([1, 0], "3,3.0 69.0,21.0"),
        ([5, 5, 5], "3,12.0 36.0,12.0 69.0,12.0"),  # flat: through the middle
        ([7], "3,12.0 69,12.0"),  # one value is a level
        ([0, 1, 0.5], "3,21.0 36.0,3.0 69.0,12.0"),
    ],
)
def test_points_of_a_line(values: list[float], points: str) -> None:
    drawn = line(values, 72, 24)
    assert isinstance(drawn, Line)
    assert [tuple(map(float, point.split(","))) for point in drawn.points.split()] == [
        tuple(map(float, point.split(","))) for point in points.split()
    ]
    assert (drawn.end_x, drawn.end_y) == tuple(map(float, points.split()[-1].split(",")))


def test_nothing_is_no_line() -> None:
    assert line([], 72, 24) is None


@pytest.mark.parametrize(("cells", "end"), [(0, 0), (1, 10), (2, 22), (3, 34), (10, 118)])
def test_the_gauge_ends_under_its_cells(cells: int, end: int) -> None:
    assert along(cells) == end


@pytest.mark.parametrize(
    ("value", "of", "length"), [(0, 10, 0), (1, 0, 0), (10, 10, 300), (1, 1000, 2), (5, 10, 150)]
)
def test_bars_share_one_scale_and_never_hide_something(value: int, of: int, length: float) -> None:
    assert share(value, of, 300) == length
