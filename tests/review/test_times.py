"""Times as pages tell them."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from review.templatetags.times import at

NOW = timezone.now().replace(hour=12, minute=4)


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
    assert at(moment) == told
