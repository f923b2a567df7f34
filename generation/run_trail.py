"""The trail of a run: drafts, calls and judgements in its tables, its progress told to those who follow it."""

import uuid
from collections.abc import Collection
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import Case, F, Func, JSONField, Max, QuerySet, TextField, Value, When
from django.db.models.functions import Coalesce

from generation import progress, spend
from generation.assembly import Assembled
from generation.calls import Prepared, Said, Step, columns
from generation.flows.base import Made
from generation.guidance import Guidance
from generation.judges.base import Judged
from generation.lease import Lease
from generation.models import Call, Draft, Injection, Judgement, Run, Subcategory
from generation.tokens import tokens_about
from generation.trail import Place


class RunTrail:
    """What the run's current round has been through; every write but that of a call goes through the lease."""

    def __init__(self, run: Run, lease: Lease) -> None:
        self.run, self.lease = run, lease

    def renew(self) -> None:
        self.lease.update()

    def move(self, to: str) -> None:
        self.lease.move(to, round=self.run.round)

    def set_subcategory(self, subcategory: Subcategory) -> None:
        self.lease.update(subcategory=subcategory)

    def entered(self, place: Place) -> None:
        progress.entered(self.run.id, **self._node(place))

    def completed(self, place: Place, detail: str = "") -> None:
        progress.completed(self.run.id, **self._node(place), detail=detail)

    def _node(self, place: Place) -> dict[str, Any]:
        return node(place, self.run.round)

    def asked_before(self, stage: str) -> bool:
        before = Call.objects.filter(run=self.run, stage=stage, round__lt=self.run.round, error__isnull=True)
        return before.exists()

    def answered(self, step: Step, number: int) -> Call | None:
        return _calls(step).filter(error__isnull=True).order_by("attempt")[number - 1 : number].first()

    def next_attempt(self, step: Step) -> int:
        return _next_attempt(step)

    def call(self, step: Step, attempt: int) -> Call | None:
        return _calls(step).filter(attempt=attempt).first()

    def keep_call(self, prepared: Prepared, said: Said) -> Call:
        return keep(prepared, said)

    def last_call(self, stages: Collection[str]) -> Call | None:
        answers = Call.objects.filter(run=self.run, stage__in=stages, error__isnull=True)
        return answers.order_by("-id").first()

    def newest_draft(self) -> Draft | None:
        """The run's draft; later ones were taken back with the review that made them."""
        return Draft.objects.filter(run=self.run, revision=self.run.revision).first()

    def unjudged(self) -> Draft | None:
        newest = self.newest_draft()
        if newest is None or newest.round != self.run.round or newest.judgements.exists():
            return None
        return newest

    def keep_draft(self, made: Made) -> Draft:
        run = self.run
        suspicion = made.findings[0]["detail"] if made.findings else ""
        with transaction.atomic():
            newest = Draft.objects.filter(run=run).aggregate(newest=Max("revision"))["newest"]
            self.lease.update(revision=(newest or 0) + 1, suspicion=suspicion[:300])
            run.refresh_from_db(fields=["revision"])
            return Draft.objects.create(
                run=run,
                revision=run.revision,
                round=run.round,
                content=made.content,
                findings=made.findings,
                made_by=made.made_by,
            )

    def judgements(self) -> list[Judgement]:
        kept = Judgement.objects.filter(run=self.run, round=self.run.round).select_related("draft", "call")
        return list(kept.order_by("cycle"))

    def keep_judgement(self, draft: Draft, judged: Judged, *, kind: str, cycle: int, corrected: bool) -> None:
        call = judged.call
        with transaction.atomic():
            self.lease.update()
            Judgement.objects.create(
                run=self.run,
                draft=draft,
                call=call,
                round=self.run.round,
                cycle=cycle,
                kind=kind,
                outcome=judged.outcome,
                prompt_version=call.prompt_version if call else None,
                model=call.model if call else "",
                result=judged.as_json(),
                correction_applied=corrected,
                correction_target=judged.correction_target if corrected else "",
            )


def node(place: Place, round: int) -> dict[str, Any]:
    return {"node": place.stage, "badge": place.badge, "round": round, "attempt": place.attempt}


def keep(prepared: Prepared, said: Said) -> Call:
    """Keep a call of a run, whoever has the hold on it: the call, what was injected, and what it adds up to."""
    step = prepared.step
    with transaction.atomic():
        # First: it locks the run, so that no two calls get one number.
        _add_to_run(step.run_id, prepared, said)
        call = Call.objects.create(
            run_id=step.run_id,
            round=step.round,
            attempt=_next_attempt(step),
            **columns(prepared, said),
        )
        if prepared.assembled.fragments:
            _store_injections(call, prepared.assembled)
        spend.add(said.cost, step.run_id)
    return call


def _next_attempt(step: Step) -> int:
    last = _calls(step).order_by("-attempt").values_list("attempt", flat=True).first()
    return (last or 0) + 1


def _calls(step: Step) -> QuerySet[Call]:
    return Call.objects.filter(run_id=step.run_id, round=step.round, cycle=step.cycle, stage=step.stage)


def _store_injections(call: Call, assembled: Assembled) -> None:
    Injection.objects.bulk_create(
        Injection(
            call=call,
            position=position,
            placeholder=fragment.placeholder,
            guidance_key=fragment.guidance_key,
            text=fragment.text,
            characters=len(fragment.text),
            tokens=tokens_about(fragment.text),
            reason=fragment.reason,
            evidence=list(fragment.evidence),
        )
        for position, fragment in enumerate(assembled.fragments)
    )


def _told(round: int, guidance: Guidance) -> dict[str, Any]:
    """The triggers as they first stood in a round, and all that prompts were guided by before the first review.

    An answer may come when the run is rounds further, where it waited for a provider's batch; and what is reviewed
    first may be of a later round, where one without a review was retried.
    """
    state = Value(dict(guidance.trigger_state or {}), JSONField())
    fields: dict[str, Any] = {
        "trigger_state": Case(When(round=round, then=Coalesce("trigger_state", state)), default=F("trigger_state"))
    }
    if round == 1:
        late = When(round__gt=1, then=Coalesce("first_trigger_state", state))
        fields["first_trigger_state"] = Case(late, default=F("first_trigger_state"))
    if guidance.guided_by:
        whole = _With(F("guided_by"), Value(list(guidance.guided_by), ArrayField(TextField())))
        fields["guided_by"] = (
            whole
            if round == 1
            else Case(When(last_review_event_id__isnull=True, then=whole), default=F("guided_by"))
        )
    return fields


class _With(Func):
    """An array, and what of another one it lacks, in their order."""

    template = (
        "(SELECT array_agg(name ORDER BY place) FROM (SELECT name, min(place) AS place"
        " FROM unnest(%(expressions)s) WITH ORDINALITY AS one (name, place) GROUP BY name) AS each)"
    )
    arg_joiner = " || "
    output_field = ArrayField(TextField())


def _add_to_run(run_id: uuid.UUID, prepared: Prepared, said: Said) -> None:
    """Sums of tokens and money, and the triggers as they stood.

    An answer is progress: only attempts since the last one count towards giving up.
    """
    guidance, usage = prepared.guidance, said.answer.usage
    sums: dict[str, Any] = {
        "input_tokens": F("input_tokens")
        + usage.input_tokens
        + usage.cache_read_tokens
        + usage.cache_write_tokens,
        "output_tokens": F("output_tokens") + usage.output_tokens,
        "cost_usd": F("cost_usd") + said.cost,
        "model": Case(When(model="", then=Value(said.answer.model[:100])), default=F("model")),
    }
    if said.error is None:
        sums["attempts"] = 1
    if guidance.trigger_state is not None:
        sums |= _told(prepared.step.round, guidance)
    run = Run.objects.filter(pk=run_id)
    run.update(**sums)
    if guidance.degradations:
        known = run.values_list("degradations", flat=True).get()
        run.update(degradations=list(dict.fromkeys([*known, *guidance.degradations])))
