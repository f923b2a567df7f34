"""A run's steps in the loop, each kept as soon as it is made, so that a killed task goes on where it was."""

from django.db import transaction
from django.db.models import Max

from generation.flows.base import Made
from generation.judges.base import Judged
from generation.models import Draft, Judgement, Status
from generation.work import Work


class RunSteps:
    """Drafts and judgements of the run's current round; what is stored already is not made again."""

    def __init__(self, work: Work) -> None:
        self.work = work
        stored = Judgement.objects.filter(run=work.run, round=work.run.round).select_related("draft", "call")
        self.stored = {judgement.cycle: judgement for judgement in stored}
        self.current: Draft | None = None

    def draft(self, cycle: int, judged: Judged | None) -> None:
        """This cycle's draft: the one it was judged with, else one that no judge has seen, else a new one."""
        self.work.cycle = cycle
        if cycle in self.stored:
            self.current = self.stored[cycle].draft
            return
        self.current = self._unjudged() or self._make(cycle, judged)

    def _newest(self) -> Draft | None:
        """The run's draft; later ones were taken back with the review that made them."""
        return Draft.objects.filter(run=self.work.run, revision=self.work.run.revision).first()

    def _unjudged(self) -> Draft | None:
        newest = self._newest()
        if newest is None or newest.round != self.work.run.round or newest.judgements.exists():
            return None
        return newest

    def _make(self, cycle: int, judged: Judged | None) -> Draft:
        work = self.work
        if cycle > 1:
            work.lease.move(Status.FIXING, round=work.run.round)
        return self._keep(work.flow.make(work, self._newest(), judged))

    def _keep(self, made: Made) -> Draft:
        work = self.work
        suspicion = made.findings[0]["detail"] if made.findings else ""
        with transaction.atomic():
            newest = Draft.objects.filter(run=work.run).aggregate(newest=Max("revision"))["newest"]
            work.lease.update(revision=(newest or 0) + 1, suspicion=suspicion[:300])
            work.run.refresh_from_db(fields=["revision"])
            return Draft.objects.create(
                run=work.run,
                revision=work.run.revision,
                round=work.run.round,
                content=made.content,
                findings=made.findings,
                made_by=made.made_by,
            )

    def judge(self, cycle: int, *, fixable: bool) -> Judged:
        self.work.cycle = cycle
        if cycle in self.stored:
            return _read(self.stored[cycle])
        assert self.current is not None, "the loop judges after a draft"
        self.work.lease.move(Status.REVIEWING, round=self.work.run.round)
        judged = self.work.flow.judge(self.work, self.current)
        self._store(judged, fixable=fixable)
        return judged

    def _store(self, judged: Judged, *, fixable: bool) -> None:
        work, call = self.work, judged.call
        corrected = fixable and judged.outcome == "failed"
        with transaction.atomic():
            work.lease.update()
            Judgement.objects.create(
                run=work.run,
                draft=self.current,
                call=call,
                round=work.run.round,
                cycle=work.cycle,
                kind=work.flow.judge_kind,
                outcome=judged.outcome,
                prompt_version=call.prompt_version if call else None,
                model=call.model if call else "",
                result=judged.as_json(),
                correction_applied=corrected,
                correction_target=judged.correction_target if corrected else "",
            )


def _read(stored: Judgement) -> Judged:
    """A stored judgement as the judge returned it."""
    result = dict(stored.result)
    feedback, findings = result.pop("feedback", ""), result.pop("findings", [])
    outcome = Judgement.Outcome(stored.outcome).value
    return Judged(outcome, feedback, tuple(findings), result, stored.correction_target, stored.call)  # type: ignore[arg-type]
