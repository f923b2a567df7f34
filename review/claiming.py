"""The next free run of a list that is narrowed by more than the queue's own indexes."""

from collections.abc import Collection
from uuid import UUID

from django.contrib.auth.models import User

from review.filters import Filters
from review.finding import Finder
from review.models import Claim
from review.queue import claim_next

AT_ONCE = 100  # runs of the list that one claim chooses from
MOST_LOOKS = 5  # such parts: people who review at the same time have fewer


def claim_next_of(
    reviewer: User, filters: Filters, *, seconds: float | None = None, exclude: Collection[UUID] = ()
) -> Claim | None:
    """As `claim_next`, of the runs that the filters find: the first free one, in the list's order.

    None where none of the list's first runs is free. Which runs those are is read first; the claim itself is the
    queue's one statement, so that two people never get the same run.
    """
    finder, cursor = Finder(filters, reviewer, view="waiting"), ""
    for _look in range(MOST_LOOKS):
        found = finder.page(AT_ONCE, cursor)
        claim = None
        if found.ids:
            claim = claim_next(
                reviewer,
                flow=filters.flow,
                subcategory=filters.subcategory,
                seconds=seconds,
                exclude=exclude,
                among=found.ids,
            )
        if claim or not found.next_cursor:
            return claim
        cursor = found.next_cursor
    return None
