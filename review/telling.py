"""Telling others of a review: a webhook in the review's own transaction, and learning once that stands."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string
from ninja import Schema
from pydantic import Field

from generation.links import absolute
from generation.models import Run
from generation.webhooks import outbox
from review.models import ReviewEvent

TYPE = "review.recorded"


class ReviewTold(Schema):
    """An event of a run's history of reviews. What was said is read at `url`."""

    event: int = Field(description="Its id, which never changes.")
    run: UUID
    flow: str = Field(examples=["item"])
    sequence: int = Field(description="Its place among the events of its run, from 1.")
    kind: str = Field(description="`submitted`, `undone` or `left_out`.", examples=["submitted"])
    undoes: int | None = Field(description="The event that this one takes back.")
    decision: str | None = Field(description="`approve`, `revise` or `reject`; null where one is taken back.")
    round: int
    source: str = Field(description="`person`, or `machine`: a key without a user.", examples=["person"])
    created_at: datetime = Field(description="When it was submitted; the event may have been written later.")
    url: str = Field(description="Where a key of scope `read` reads the run's reviews.")
    web_url: str


def recorded(event: ReviewEvent, run: Run, wanted: Collection[str]) -> None:
    """Tell of an event that was just inserted. Where its transaction or savepoint falls, nothing was told.

    wanted: the types of webhooks that any endpoint wants.
    """
    if TYPE in wanted:
        outbox.emit(TYPE, _told(event, run).model_dump(mode="json"))
    if path := settings.AFTER_REVIEW:
        transaction.on_commit(lambda: import_string(path)(run.pk, wanted), robust=True)


def _told(event: ReviewEvent, run: Run) -> ReviewTold:
    return ReviewTold(
        event=event.pk,
        run=run.pk,
        flow=run.flow,
        sequence=event.sequence,
        kind=event.kind,
        undoes=event.undoes_id,
        decision=event.decision or None,
        round=event.round,
        source=event.source,
        created_at=event.created_at,
        url=absolute("api:list_reviews", run.pk),
        web_url=absolute("run", run.pk),
    )
