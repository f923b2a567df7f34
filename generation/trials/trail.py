"""The trail of a tried run: its drafts and judgements in its own row, its calls in a table of their own."""

import uuid
from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, JSONField, QuerySet, Value
from django.db.models.functions import Coalesce, Now

from generation import spend
from generation.calls import Prepared, Said, Step, columns
from generation.flows.base import Made
from generation.judges.base import Judged
from generation.lease import Lost, expiry
from generation.models import Asked, Call, Draft, Judgement, Run, Subcategory, TrialCall, TriedRun
from generation.models.run import IN_PROGRESS
from generation.trail import Place


class TrialTrail:
    """run: the past run as it is tried, in hand alone. Flows and judges get rows that are never stored."""

    def __init__(self, tried: TriedRun, run: Run, token: uuid.UUID) -> None:
        self.tried, self.run, self.token = tried, run, token

    def write(self, **fields: Any) -> None:
        """Write to the row and renew the lease, in one conditional UPDATE. Raises Lost."""
        if self._mine().update(**{"lease_expires_at": expiry()} | fields) != 1:
            raise Lost

    def _mine(self) -> QuerySet[TriedRun]:
        return TriedRun.objects.filter(pk=self.tried.pk, lease=self.token, status__in=IN_PROGRESS)

    def renew(self) -> None:
        self.write()

    def move(self, to: str) -> None:
        self.write(status=to, changed_at=Now())

    def set_subcategory(self, subcategory: Subcategory) -> None:
        self.write(subcategory=subcategory)

    def entered(self, place: Place) -> None:
        self._mine().update(stage=place.stage)

    def completed(self, place: Place, detail: str = "") -> None:
        """Nobody watches a trial as closely as that: its page follows the stages that are entered."""

    def asked_before(self, stage: str) -> bool:
        """Only the stage that is tried is asked again for what the past run asked it."""
        if stage != self.tried.trial.version.prompt.stage:
            return False
        return Call.objects.filter(run=self.tried.run_id, stage=stage, error__isnull=True).exists()

    def answered(self, step: Step, number: int) -> Call | None:
        answers = self._calls(step).filter(error__isnull=True).order_by("attempt")
        return self._as_call(answers[number - 1 : number].first())

    def next_attempt(self, step: Step) -> int:
        last = self._calls(step).order_by("-attempt").values_list("attempt", flat=True).first()
        return (last or 0) + 1

    def call(self, step: Step, attempt: int) -> Call | None:
        return self._as_call(self._calls(step).filter(attempt=attempt).first())

    def _calls(self, step: Step) -> QuerySet[TrialCall]:
        calls = TrialCall.objects.filter(tried=self.tried, cycle=step.cycle, stage=step.stage)
        return calls.select_related("prompt_version")

    def keep_call(self, prepared: Prepared, said: Said) -> Call:
        step = prepared.step
        with transaction.atomic():
            self._add_up(prepared, said)  # first: it locks the row, so that no two calls get one number
            kept = TrialCall.objects.create(
                tried=self.tried,
                attempt=self.next_attempt(step),
                injections=[
                    {
                        "placeholder": fragment.placeholder,
                        "guidance_key": fragment.guidance_key,
                        "text": fragment.text,
                        "reason": fragment.reason,
                        "evidence": list(fragment.evidence),
                    }
                    for fragment in prepared.assembled.fragments
                ],
                **columns(prepared, said),
            )
            spend.add(said.cost, None)
        call = self._as_call(kept)
        assert call is not None
        return call

    def _add_up(self, prepared: Prepared, said: Said) -> None:
        usage, state = said.answer.usage, prepared.guidance.trigger_state
        read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        sums: dict[str, Any] = {
            "input_tokens": F("input_tokens") + read,
            "output_tokens": F("output_tokens") + usage.output_tokens,
            "cost_usd": F("cost_usd") + said.cost,
        }
        if said.error is None:
            sums["attempts"] = 1
        if state is not None:
            sums["trigger_state"] = Coalesce("trigger_state", Value(dict(state), JSONField()))
        TriedRun.objects.filter(pk=self.tried.pk).update(**sums)

    def last_call(self, stages: Collection[str]) -> Call | None:
        answers = TrialCall.objects.filter(tried=self.tried, stage__in=stages, error__isnull=True)
        return self._as_call(answers.order_by("-id").first())

    def _as_call(self, kept: TrialCall | None) -> Call | None:
        if kept is None:
            return None
        asked = {field.name: getattr(kept, field.name) for field in Asked._meta.get_fields()}
        return Call(run=self.run, prompt_version=kept.prompt_version, **asked)

    def newest_draft(self) -> Draft | None:
        return self._draft(self.tried.drafts[-1]) if self.tried.drafts else None

    def _draft(self, kept: Mapping[str, Any]) -> Draft:
        return Draft(run=self.run, round=self.run.round, **kept)

    def unjudged(self) -> Draft | None:
        newest = self.newest_draft()
        judged = {judgement["revision"] for judgement in self.tried.judgements}
        return None if newest is None or newest.revision in judged else newest

    def keep_draft(self, made: Made) -> Draft:
        kept = {
            "revision": len(self.tried.drafts) + 1,
            "content": made.content,
            "findings": made.findings,
            "made_by": made.made_by,
        }
        drafts = [*self.tried.drafts, kept]
        self.write(drafts=drafts)
        self.tried.drafts = drafts
        return self._draft(kept)

    def judgements(self) -> list[Judgement]:
        drafts = {kept["revision"]: self._draft(kept) for kept in self.tried.drafts}
        return [
            Judgement(
                run=self.run,
                draft=drafts[kept["revision"]],
                round=self.run.round,
                **{name: kept[name] for name in ("cycle", "kind", "outcome", "result", "correction_target")},
            )
            for kept in self.tried.judgements
        ]

    def keep_judgement(self, draft: Draft, judged: Judged, *, kind: str, cycle: int, corrected: bool) -> None:
        kept = {
            "cycle": cycle,
            "revision": draft.revision,
            "kind": kind,
            "outcome": judged.outcome,
            "result": judged.as_json(),
            "correction_target": judged.correction_target if corrected else "",
        }
        judgements = [*self.tried.judgements, kept]
        self.write(judgements=judgements)
        self.tried.judgements = judgements
