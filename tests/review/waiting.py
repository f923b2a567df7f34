"""What waits for a person, as its list shows it."""

from uuid import UUID

from django.contrib.auth.models import User

from review.filters import Filters
from review.finding import Finder


def waiting_ids(subcategory: str = "") -> list[UUID]:
    """The runs of the queue in its order."""
    return Finder(Filters(subcategory=subcategory), User()).page(1000).ids
