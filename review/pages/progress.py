"""A run in the making: its stages as they are entered and completed, with badges and attempts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from generation.models import NodeEvent, Run


@dataclass
class Step:
    """One stage or judging. `ended` is None while it runs."""

    label: str
    badge: str
    round: int
    attempt: int
    began: datetime
    ended: datetime | None = None
    detail: str = ""

    @property
    def took(self) -> timedelta | None:
        return self.ended - self.began if self.ended else None


@dataclass(frozen=True)
class Progress:
    run: Run
    steps: list[Step]

    @property
    def is_over(self) -> bool:
        return not self.run.is_in_progress

    @property
    def has_record(self) -> bool:
        return self.run.is_up_for_review

    @property
    def reason(self) -> str:
        return str((self.run.error or {}).get("detail", ""))


def progress(run: Run) -> Progress:
    events = NodeEvent.objects.filter(run=run).exclude(kind=NodeEvent.Kind.STATUS).order_by("id")
    return Progress(run, steps_of(list(events)))


def steps_of(events: Sequence[NodeEvent]) -> list[Step]:
    """Entered and completed events paired; one that was entered twice (a killed worker) is one step anew."""
    steps: list[Step] = []
    running: dict[tuple[str, int, int], Step] = {}
    for event in events:
        key = (event.node, event.round, event.attempt)
        if event.kind == NodeEvent.Kind.NODE_ENTER:
            step = running.get(key)
            if step is None or step.ended is not None:
                step = Step(_label(event.node), event.badge, event.round, event.attempt, event.created_at)
                steps.append(step)
                running[key] = step
            step.began = event.created_at
        elif step := running.get(key):
            step.ended, step.detail = event.created_at, event.detail
    return steps


def _label(node: str) -> str:
    return _(node).replace("_", " ").capitalize()
