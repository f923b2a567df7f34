"""Trail: where the steps of a run are kept, apart from how they are made.

A run keeps them in its tables (`RunTrail`); a trial of a prompt keeps them in its own (`generation.trials`), and
no queue, window or statistic of runs hears of it. Loop, flows, judges and providers are the same for both.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from generation.calls import Prepared, Said, Step
from generation.flows.base import Made, Stage
from generation.judges.base import Judged
from generation.models import Call, Draft, Judgement, Subcategory


@dataclass(frozen=True)
class Place:
    """Where a stage was entered, as those who watch see it. badge: REVIEW or FIX; attempt: the cycle."""

    stage: str
    badge: str
    attempt: int

    @classmethod
    def of(cls, stage: Stage, cycle: int) -> "Place":
        return cls(stage.name, "REVIEW" if stage.judges else "FIX" if cycle > 1 else "", cycle)


class Trail(Protocol):
    """One round of one run: the hold on it, and what is kept of it. What writes raises Lost without that hold."""

    def renew(self) -> None:
        """Keep the hold."""

    def move(self, to: str) -> None:
        """Set the status."""

    def set_subcategory(self, subcategory: Subcategory) -> None: ...

    def entered(self, place: Place) -> None: ...

    def completed(self, place: Place, detail: str = "") -> None: ...

    def asked_before(self, stage: str) -> bool:
        """Whether a stage answered before this round, and so is asked in it again."""
        ...

    def answered(self, step: Step, number: int) -> Call | None:
        """The number-th answer that this step has got already, counted from 1."""
        ...

    def next_attempt(self, step: Step) -> int: ...

    def call(self, step: Step, attempt: int) -> Call | None: ...

    def keep_call(self, prepared: Prepared, said: Said) -> Call:
        """Keep what was paid for, with what it adds up to, whoever has the hold by now."""
        ...

    def last_call(self, stages: Collection[str]) -> Call | None:
        """The last answer of any of these stages."""
        ...

    def newest_draft(self) -> Draft | None: ...

    def unjudged(self) -> Draft | None:
        """The newest draft, where it is of this round and no judge has seen it."""
        ...

    def keep_draft(self, made: Made) -> Draft: ...

    def judgements(self) -> list[Judgement]:
        """This round's, with their drafts and calls, the oldest first."""
        ...

    def keep_judgement(self, draft: Draft, judged: Judged, *, kind: str, cycle: int, corrected: bool) -> None:
        """corrected: a fix follows."""
