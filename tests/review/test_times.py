"""Times as pages tell them."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from review.templatetags.times import at

NOW = datetime(2026, 5, 4, 12, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (None, ""),
        (NOW, "12:04 UTC"),
        (NOW - timedelta(days=1), f"{NOW - timedelta(days=1):%Y-%m-%d} 12:04 UTC"),
        (NOW + timedelta(days=1), f"{NOW + timedelta(days=1):%Y-%m-%d} 12:04 UTC"),
    ],
)
def test_a_time_of_another_day_tells_the_day(moment: datetime | None, told: str) -> None:
    with time_machine.travel(NOW, tick=False):
        assert at(moment) == told
