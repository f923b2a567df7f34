"""A run's steps in the loop, each kept as soon as it is made, so that a killed task goes on where it was."""

from generation.judges.base import Judged
from generation.models import Draft, Judgement, Status
from generation.spans import span
from generation.work import Work


class RunSteps:
    """Drafts and judgements of the run's current round; what is kept already is not made again."""

    def __init__(self, work: Work) -> None:
        self.work, self.trail = work, work.trail
        self.kept = {judgement.cycle: judgement for judgement in work.trail.judgements()}
        self.current: Draft | None = None

    def draft(self, cycle: int, judged: Judged | None) -> None:
        """This cycle's draft: the one it was judged with, else one that no judge has seen, else a new one."""
        self.work.cycle = cycle
        if cycle in self.kept:
            self.current = self.kept[cycle].draft
            return
        self.current = self.trail.unjudged() or self._make(cycle, judged)

    def _make(self, cycle: int, judged: Judged | None) -> Draft:
        if cycle > 1:
            self.trail.move(Status.FIXING)
        made = self.work.flow.make(self.work, self.trail.newest_draft(), judged)
        return self.trail.keep_draft(made)

    def judge(self, cycle: int, *, fixable: bool) -> Judged:
        work, draft = self.work, self.current
        work.cycle = cycle
        if cycle in self.kept:
            return _read(self.kept[cycle])
        assert draft is not None, "the loop judges after a draft"
        self.trail.move(Status.REVIEWING)
        kind = work.flow.judge_kind
        with span(f"judge {kind}", {"foldback.judge": kind, "foldback.cycle": cycle}) as told:
            judged = work.flow.judge(work, draft)
            told.set({"foldback.outcome": judged.outcome})
        corrected = fixable and judged.outcome == "failed"
        self.trail.keep_judgement(draft, judged, kind=kind, cycle=cycle, corrected=corrected)
        return judged


def _read(stored: Judgement) -> Judged:
    """A stored judgement as the judge returned it."""
    result = dict(stored.result)
    feedback, findings = result.pop("feedback", ""), result.pop("findings", [])
    outcome = Judgement.Outcome(stored.outcome).value
    return Judged(outcome, feedback, tuple(findings), result, stored.correction_target, stored.call)  # type: ignore[arg-type]
