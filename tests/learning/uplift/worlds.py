"""Installations with a known effect of guidance, written at once: runs, their calls and their first reviews."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from generation.models import Arm, Call, Injection, Run, Subcategory
from learning.triggers import needed
from review.models import ReviewEvent

TRIGGER = "bad_format_trigger"
SHARE = Decimal("0.1")


@dataclass(frozen=True)
class Lived:
    """One run: whether guidance was on, its arm, and whether its reviewer found the fault."""

    on: bool
    arm: str
    fault: bool

    @property
    def guided(self) -> bool:
        return self.on and self.arm == Arm.GUIDED


def live(random: Random, reviews: int, rate: Callable[[bool], float], share: Decimal = SHARE) -> list[Lived]:
    """Reviews in their order under the window's rule. rate: of faults, by whether guidance was sent."""
    lives: list[Lived] = []
    for _ in range(reviews):
        last = lives[-10:]
        on = bool(last) and sum(one.fault for one in last) >= needed(3, len(last))
        arm = Arm.CONTROL if random.random() < share else Arm.GUIDED
        lives.append(Lived(on, arm, random.random() < rate(on and arm == Arm.GUIDED)))
    return lives


def write(
    at: Subcategory,
    lives: Sequence[Lived],
    by: User,
    share: Decimal = SHARE,
    flow: str = "item",
    until: datetime | None = None,
) -> None:
    """until: when the last of them was reviewed, the others every half hour before; else all of them now."""
    times = [until and until - timedelta(minutes=30 * before) for before in reversed(range(len(lives)))]
    with connection.cursor() as cursor:  # the database plans for tables as empty as they were
        cursor.execute("SET LOCAL enable_seqscan = off; DISCARD PLANS")
    runs = Run.objects.bulk_create(
        Run(
            flow=flow,
            subcategory=at,
            title=f"Thing {number}",
            source={"title": "x"},
            status="rejected" if one.fault else "approved",
            revision=1,
            arm=one.arm,
            holdout_share=share,
            trigger_state=_state(at, one),
            **_at(time),
        )
        for number, (one, time) in enumerate(zip(lives, times, strict=True))
    )
    calls = Call.objects.bulk_create(
        Call(run=run, stage="extraction", provider="demo", **_at(time))
        for run, time in zip(runs, times, strict=True)
    )
    pairs = list(zip(runs, calls, lives, strict=True))
    Injection.objects.bulk_create(
        Injection(call=call, placeholder="EXTRACTION_REVIEW", guidance_key="x", text="x", reason=TRIGGER)
        for _run, call, one in pairs
        if one.guided
    )
    ReviewEvent.objects.bulk_create(
        ReviewEvent(
            run=run,
            sequence=1,
            reviewer=by,
            decision="reject" if one.fault else "approve",
            bad_format=one.fault,
            **_at(time),
        )
        for (run, _call, one), time in zip(pairs, times, strict=True)
    )


def _at(time: datetime | None) -> dict[str, Any]:
    return {"created_at": time} if time else {}


def _state(at: Subcategory, one: Lived) -> dict[str, Any]:
    return {"triggers": {TRIGGER: {"fired": one.on}}, "basis": {"subcategory": at.pk, "events": []}}
