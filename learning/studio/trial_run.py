"""One run of a trial: as it was made then, as the trial made it, and what people had said."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from generation.models import Draft, Judgement, TriedRun
from generation.timeline import label as stage_label
from generation.trials.past import Past
from generation.verdicts import ended
from review.models import ReviewEvent
from review.pages.comparing import Compared, compared

NAMED = 3  # fields that a list names, before it counts


@dataclass(frozen=True)
class Tried:
    """One run: `one` as it was tried, `past` as it was made. approved: the record that people left."""

    one: TriedRun
    past: Past
    review: ReviewEvent | None
    approved: Draft | None
    duration_ms: int

    @cached_property
    def record(self) -> Mapping[str, Any] | None:
        """As it was made in the trial, the last draft of it."""
        return self.one.drafts[-1]["content"] if self.one.drafts else None

    @cached_property
    def values(self) -> list[Compared]:
        """Field by field, then against now."""
        if self.past.draft is None or self.record is None:
            return []
        return list(compared(self.one.run.flow, self.past.draft.content, self.record))

    @property
    def changed(self) -> list[Compared]:
        return [value for value in self.values if value.change != "same"]

    @property
    def same(self) -> list[Compared]:
        return [value for value in self.values if value.change == "same"]

    @property
    def tokens(self) -> str:
        return f"{self.one.input_tokens + self.one.output_tokens:,}"

    @property
    def names(self) -> str:
        names = list(dict.fromkeys(value.label for value in self.changed))
        more = len(names) - NAMED
        shown = ", ".join(names[:NAMED])
        return _("%(fields)s and %(more)d more") % {"fields": shown, "more": more} if more > 0 else shown

    def unlike(self, content: Mapping[str, Any] | None) -> int | None:
        """Fields in which a record differs from the approved one."""
        if self.approved is None or content is None:
            return None
        found = compared(self.one.run.flow, content, self.approved.content)
        return sum(value.change != "same" for value in found)

    @cached_property
    def unlike_then(self) -> int | None:
        return self.unlike(self.past.draft.content if self.past.draft else None)

    @cached_property
    def unlike_now(self) -> int | None:
        return self.unlike(self.record)

    @property
    def judged_then(self) -> Judgement | None:
        return self.past.judged

    @property
    def judged_now(self) -> Judgement | None:
        """What the judge said of the trial's record; a row that is never stored."""
        if not self.one.judgements:
            return None
        last = self.one.judgements[-1]
        return Judgement(**{name: last[name] for name in ("cycle", "kind", "outcome", "result")})

    @property
    def fixes_now(self) -> int:
        return max(0, len(self.one.judgements) - 1)

    @property
    def stage(self) -> str:
        return stage_label(self.one.run.flow, self.one.stage) if self.one.stage else ""

    @property
    def why(self) -> str:
        return ended(self.one.error, unjudged=self.one.judge_outcome == "unavailable")
