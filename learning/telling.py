"""Telling others that triggers changed: what fires now is compared with what was told last, and remembered."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from ninja import Schema
from pydantic import Field

from generation.flows import FLOWS
from generation.links import absolute
from generation.models import Run, Subcategory
from generation.webhooks import outbox
from learning.models import ToldTriggers
from learning.triggers import Triggers, decide
from learning.window import window, windows
from review.models import ReviewEvent

TYPE = "trigger.changed"
CHUNK = 200  # subcategories whose windows are read at once


class TriggerTold(Schema):
    """A subcategory whose triggers fire differently than the last of these messages said. The counts and the
    reviews behind them are read at `url`."""

    flow: str = Field(examples=["item"])
    subcategory: str = Field(description="Its slug.", examples=["cordless-drills"])
    fired: list[str] = Field(description="All that fire now.", examples=[["bad_format_trigger"]])
    began: list[str] = Field(description="Those of them that did not fire before.")
    ended: list[str] = Field(description="Those that fired before and do not now.")
    reviewed: int = Field(description="How many reviewed runs the window holds; ten at most.")
    low_confidence: bool = Field(description="Fewer than ten.")
    url: str = Field(description="Where a key of scope `read` reads the triggers.")
    web_url: str


def tell_of_run(run_id: UUID) -> int:
    """Tell what changed in the run's subcategory, and in those between which its reviews moved it. How many."""
    run = Run.objects.select_related("subcategory").get(pk=run_id)
    slugs = {run.subcategory.slug} if run.subcategory else set()
    for corrections in ReviewEvent.objects.filter(run=run).values_list("corrections", flat=True):
        moved = corrections.get("subcategory") or {}
        slugs |= {slug for slug in moved.values() if slug}
    return sum(tell(run.flow, found) for found in Subcategory.objects.filter(slug__in=slugs))


def tell_all() -> int:
    """Compare every subcategory of every flow, so that nothing stays untold, whatever moved a trigger. How many.

    Read in chunks without a lock; only what differs is looked at again with one.
    """
    if TYPE not in outbox.wanted():
        return 0
    subcategories = list(Subcategory.objects.order_by("pk"))
    return sum(
        tell(flow, subcategory)
        for flow in FLOWS
        for start in range(0, len(subcategories), CHUNK)
        for subcategory in _differing(flow, subcategories[start : start + CHUNK])
    )


def _differing(flow: str, subcategories: list[Subcategory]) -> Iterable[Subcategory]:
    ids = [subcategory.pk for subcategory in subcategories]
    told = dict(ToldTriggers.objects.filter(flow=flow, subcategory__in=ids).values_list("subcategory", "fired"))
    seen = windows(flow, ids)
    return [each for each in subcategories if set(decide(seen[each.pk]).fired) != set(told.get(each.pk, ()))]


def tell(flow: str, subcategory: Subcategory) -> bool:
    """Tell whether its triggers fire differently than was told last, and remember it, both or neither."""
    key = {"flow": flow, "subcategory": subcategory}
    ToldTriggers.objects.bulk_create([ToldTriggers(**key)], ignore_conflicts=True)
    with transaction.atomic():
        last = ToldTriggers.objects.select_for_update().get(**key)
        now = decide(window(flow, subcategory.pk))
        if set(now.fired) == set(last.fired):
            return False
        outbox.emit(TYPE, _told(flow, subcategory, now, last.fired).model_dump(mode="json"))
        ToldTriggers.objects.filter(pk=last.pk).update(fired=list(now.fired), told_at=Now())
    return True


def _told(flow: str, subcategory: Subcategory, now: Triggers, before: list[str]) -> TriggerTold:
    return TriggerTold(
        flow=flow,
        subcategory=subcategory.slug,
        fired=list(now.fired),
        began=[name for name in now.fired if name not in before],
        ended=[name for name in before if name not in now.fired],
        reviewed=now.reviewed,
        low_confidence=now.low_confidence,
        url=absolute("api:read_triggers", subcategory.slug, query=f"flow={flow}"),
        web_url=absolute("subcategory", subcategory.slug, query=f"flow={flow}"),
    )
