"""Work: one worker's work on one run, and the only way in which a flow asks a provider."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from generation import calls, providers, spend
from generation.assembly import assemble, values_of
from generation.database_faults import drop_if_cut
from generation.deferring.parking import Deferred, is_deferred, look
from generation.flows.base import Flow, Stage
from generation.guidance import Guidance, GuidanceRequest
from generation.guidance import ask as ask_guidance
from generation.models import Call, Draft, Judgement, PromptVersion, Run, Subcategory
from generation.prompts import version_for
from generation.providers.base import ProviderError, Request, Search, Workspace
from generation.spans import span
from generation.trail import Place, Trail

log = structlog.get_logger(__name__)
MAX_ATTEMPTS = 5  # tasks that may begin on a run without one more answer before it is failed


class Work:
    """The run in hand. `cycle` is the round's cycle that is being worked on; what is kept goes to `trail`."""

    def __init__(self, run: Run, flow: Flow, trail: Trail) -> None:
        self.run, self.flow, self.trail = run, flow, trail
        self.cycle = 1
        self._guidance: dict[str, Guidance] = {}

    @property
    def last_try(self) -> bool:
        """Whether a failing call is the run's end, and not only of this attempt."""
        return self.run.attempts >= MAX_ATTEMPTS

    def guidance(self, stage: str) -> Guidance:
        """What learning says for a stage; asked once, so that all cycles of a round hear the same."""
        if stage not in self._guidance:
            run = self.run
            self._guidance[stage] = ask_guidance(
                GuidanceRequest(run.flow, stage, run.subcategory_id, run.id, run.round, run.arm)
            )
        return self._guidance[stage]

    def set_subcategory(self, subcategory: Subcategory) -> None:
        self.trail.set_subcategory(subcategory)
        self.run.subcategory = subcategory
        self._guidance.clear()

    def judgements(self) -> list[Judgement]:
        """This round's stored judgements with their drafts, the oldest first."""
        return self.trail.judgements()

    def asked_before(self, stage: str) -> bool:
        """Whether a stage answered in an earlier round of the run."""
        return self.trail.asked_before(stage)

    def last_call(self, *stages: str) -> Call | None:
        """The run's last answer of any of these stages."""
        return self.trail.last_call(stages)

    def ask(
        self,
        stage: str,
        *,
        number: int = 1,
        draft: Draft | None = None,
        content: Mapping[str, Any] | None = None,
        feedback: str = "",
        context: str = "",
        workspace: Workspace | None = None,
    ) -> Call:
        """The number-th answer of a stage in this cycle: the one that is stored already, or a new one.

        draft or content: what the prompt shows as the draft; context: what stands below it. workspace: where an
        agent program works. Raises ProviderError, Lost, Deferred, and as spend.check.
        """
        step = calls.Step(self.run.id, self.run.round, self.cycle, stage)
        answered = self.trail.answered(step, number)
        if answered is not None:
            return answered
        if is_deferred(self.run, self.flow.stages[stage]):
            raise self._deferred(step, number, draft, content, feedback, context)
        with span(f"stage {stage}", {"foldback.stage": stage, "foldback.cycle": self.cycle}):
            self.trail.renew()
            spend.check(self.run.batch_id)
            prepared = self._prepare(step, self.flow.stages[stage], draft, content, feedback, context)
            if workspace is not None:
                prepared = replace(prepared, request=replace(prepared.request, workspace=workspace))
            return self._make(prepared)

    def _deferred(
        self,
        step: calls.Step,
        number: int,
        draft: Draft | None,
        content: Mapping[str, Any] | None,
        feedback: str,
        context: str,
    ) -> Deferred:
        """The request for the provider's next batch, to be raised; where it is parked already, as `look` says."""
        self.trail.renew()
        look(step, number)
        spend.check(self.run.batch_id)
        stage = self.flow.stages[step.stage]
        prepared = self._prepare(step, stage, draft, content, feedback, context)
        self.trail.entered(Place.of(stage, self.cycle))
        return Deferred(number, prepared)

    def _prepare(
        self,
        step: calls.Step,
        stage: Stage,
        draft: Draft | None,
        content: Mapping[str, Any] | None,
        feedback: str,
        context: str,
    ) -> calls.Prepared:
        version, guidance = version_for(self.flow.name, stage.name, self.run.options), self.guidance(stage.name)
        values = values_of(
            self.flow,
            version,
            source=self.run.source,
            subcategory=self.run.subcategory,
            content=draft.content if draft else content,
            findings=draft.findings if draft else None,
            feedback=feedback,
        )
        values["DRAFT"] = "\n\n".join(filter(None, (values["DRAFT"], context)))
        assembled = assemble(
            flow=self.flow.name, stage=stage.name, version=version, guidance=guidance, values=values
        )
        request = Request(
            flow=self.flow.name,
            stage=stage.name,
            system=assembled.system_text,
            stable=assembled.stable,
            volatile=assembled.volatile,
            model=self._model(stage, version),
            schema=stage.answer,
            search=self._search(stage, guidance),
            parameters=version.parameters,
            deterministic=stage.deterministic,
            timeout=settings.CALL_TIMEOUT_SECONDS,
            role=stage.role,
            still_wanted=self._still_wanted,
        )
        return calls.Prepared(step, request, version, guidance, assembled)

    def _still_wanted(self) -> None:
        """Asked during long calls: keeps the lease. Raises Lost, never for a database that is away a moment."""
        try:
            drop_if_cut()
            self.trail.renew()
        except (OperationalError, InterfaceError) as error:
            log.warning("lease_not_renewed", error=type(error).__name__)

    def tell_skipped(self, why: str) -> None:
        """That the judge is not asked, and why, as those who watch the run see it."""
        for stage in self.flow.stages.values():
            if stage.judges:
                place = Place(stage.name, "REVIEW", self.cycle)
                self.trail.entered(place)
                self.trail.completed(place, f"skipped: {why}")

    def _model(self, stage: Stage, version: PromptVersion) -> str:
        judges = settings.FOLDBACK_JUDGE_MODEL if stage.judges else ""
        return version.model or judges or settings.FOLDBACK_MODEL

    def _search(self, stage: Stage, guidance: Guidance) -> Search:
        if not stage.searches:
            return Search()
        return Search(guidance.broad_search, self.flow.search_queries(self.run.source))

    def _make(self, prepared: calls.Prepared) -> Call:
        stage = self.flow.stages[prepared.step.stage]
        place = Place.of(stage, self.cycle)
        self.trail.entered(place)
        try:
            find = providers.agent if stage.agent else providers.provider
            call = calls.make(find(self.run.provider), prepared, self.trail)
        except ProviderError as error:
            self.trail.completed(place, error.code)
            raise
        self.trail.completed(place)
        self.run.attempts = 1
        return call
