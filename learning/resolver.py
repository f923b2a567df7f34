"""The resolver: what learning says to one stage of one run. Named in the setting PROMPT_RESOLVER.

The same window, the same settings and the same review give the same bytes. Whatever fails on the way falls
back to the prompt without it, is told to the log, and is named in `Guidance.degradations`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import structlog
from django.conf import settings

from generation.guidance import Fragment, Guidance, GuidanceRequest
from generation.models import Arm
from generation.placeholders import own as placeholder_of
from generation.sanitizer import harmless, one_line, quote
from learning import examples, own_review
from learning.causes import Cause, cause
from learning.controls import Controls, controls
from learning.examples import Example
from learning.influence import Line, lines, shows_example
from learning.injections import Injections, bound, size
from learning.names import key_of
from learning.own_review import OwnReview
from learning.triggers import Triggers, read
from learning.window import window

log = structlog.get_logger(__name__)

Result = TypeVar("Result")
WINDOW_RANK = 10  # what the window says gives way before what the run's own review says
LABELS = {"names": "fields that reviewers missed", "note": "a reviewer's note", "subcategory": "subcategory"}


def resolve(request: GuidanceRequest, instead: Triggers | None = None) -> Guidance:
    """Guidance for one prompt, in at most four queries. Does not raise.

    instead: triggers for a preview, in the place of those that the window says. Where learning is off, or the run
    is in the holdout, they say as little as the window's.
    """
    resolution = Resolution(request, instead)
    return resolution.attempt("resolution", resolution.guidance, None) or Guidance(
        degradations=tuple(resolution.degraded)
    )


@dataclass
class Resolution:
    """One resolving, with the names of the steps that fell back."""

    request: GuidanceRequest
    instead: Triggers | None = None
    degraded: list[str] = field(default_factory=list)

    def attempt(self, step: str, do: Callable[[], Result], fallback: Result) -> Result:
        """What the step gives; the fallback, told to the log and named, where it fails."""
        try:
            return do()
        except Exception as error:  # degrade-gracefully point: the unguided prompt is a prompt, too
            if step not in self.degraded:
                self.degraded.append(step)
            log.warning("guidance_step_fell_back", step=step, error=type(error).__name__, **self._where)
            return fallback

    def guidance(self) -> Guidance:
        request, table = self.request, lines(self.request.flow, self.request.stage)
        own = self.attempt("normalisation", lambda: own_review.of(request), None)
        learns = any(line.trigger for line in table) or self._takes_example
        if own is None and not learns:
            return Guidance(degradations=tuple(self.degraded))
        admin = controls(request.flow, request.subcategory_id)
        triggers = self._triggers(admin) if learns else None
        obeyed = None if request.arm == Arm.CONTROL else triggers
        said, steered = self._said(table, admin, own, obeyed)
        fragments, dropped = said.within(settings.INJECTION_BUDGETS["total"], settings.INJECTION_BUDGETS["tokens"])
        example = self._example(admin, fragments)
        if example:
            fragments += (example.fragment,)
        self._tell(admin, own, obeyed, fragments, dropped)
        return Guidance(
            fragments=fragments,
            broad_search="broad_search" not in steered,
            force_formatter="force_formatter" in steered,
            trigger_state=None if triggers is None else triggers.state(),
            guided_by=() if obeyed is None else obeyed.speaking,
            low_confidence=triggers is not None and triggers.low_confidence,
            example_run=example.run_id if example else None,
            degradations=tuple(self.degraded),
        )

    def _triggers(self, admin: Controls) -> Triggers | None:
        """The triggers as they stand; a run of the control arm keeps them on record without obeying them."""
        flow, subcategory = self.request.flow, self.request.subcategory_id
        if admin.off:
            return None
        if self.instead is not None or subcategory is None:
            return self.instead
        return self.attempt("window", lambda: read(window(flow, subcategory, admin.rules)), None)

    def _said(
        self, table: tuple[Line, ...], admin: Controls, own: OwnReview | None, triggers: Triggers | None
    ) -> tuple[Injections, set[str]]:
        """What each line says, in the order of the table, and what those that speak steer."""
        said, steered = Injections(), set()
        for line in table:
            text, enabled = admin.texts[line.key]
            why = cause(line, own, triggers) if enabled else None
            if why is None:
                continue
            quoted = self._quoted(line, why, admin) if line.fills else ""
            if line.steers:
                steered.add(line.steers)
            said.inject_conditionally(
                bool(quoted) or not line.fills,
                placeholder_of(line.stage),
                filled(text, line.fills, quoted),
                reason=why.reason,
                key=line.key,
                evidence=why.evidence,
                rank=line.rank if why.own else line.rank + WINDOW_RANK,
            )
        return said, steered

    def _quoted(self, line: Line, why: Cause, admin: Controls) -> str:
        """What people wrote, as quoted data; empty where nothing harmless is left of it."""
        budgets = settings.INJECTION_BUDGETS
        if line.fills == "note":
            text = self.attempt("sanitizer", lambda: harmless(why.words[0], budgets["notes"]), "")
            return quote(LABELS[line.fills], text)
        once: dict[str, str] = {}
        for word in why.words:
            once.setdefault(key_of(word, admin.rules.synonyms), word)
        names = [
            self.attempt("sanitizer", partial(one_line, word, budgets["field"]), "")
            for word in list(once.values())[: budgets["names"]]
        ]
        return quote(LABELS[line.fills], "\n".join(f"- {name}" for name in names if name))

    @property
    def _takes_example(self) -> bool:
        return shows_example(self.request.flow, self.request.stage)

    def _example(self, admin: Controls, said: tuple[Fragment, ...]) -> Example | None:
        """A reviewed record, in what is left of the budget; None leaves the prompt's own example."""
        request, subcategory, budgets = self.request, self.request.subcategory_id, settings.INJECTION_BUDGETS
        if not self._takes_example or admin.off or subcategory is None or request.arm == Arm.CONTROL:
            return None
        left = min(budgets["example"], budgets["total"] - size(said) - 1)
        tokens = budgets["tokens"] - bound(said)
        return self.attempt(
            "example",
            lambda: examples.find(request.flow, subcategory, but=request.run_id, budget=left, tokens=tokens),
            None,
        )

    def _tell(
        self,
        admin: Controls,
        own: OwnReview | None,
        triggers: Triggers | None,
        fragments: tuple[Fragment, ...],
        dropped: tuple[Fragment, ...],
    ) -> None:
        log.info(
            "guidance_resolved",
            off=admin.off,
            arm=self.request.arm,
            own_review=own is not None,
            fired=[] if triggers is None else list(triggers.fired),
            injected=[fragment.guidance_key or fragment.reason for fragment in fragments],
            chars=sum(len(fragment.text) for fragment in fragments),
            tokens_at_most=bound(fragments),
            dropped=[fragment.guidance_key for fragment in dropped],
            degradations=list(self.degraded),
            **self._where,
        )

    @property
    def _where(self) -> dict[str, str | None]:
        run = self.request.run_id
        return {"flow": self.request.flow, "stage": self.request.stage, "run": None if run is None else str(run)}


def filled(text: str, fills: str, quoted: str) -> str:
    """The text with the quoted words in their place, once, and at its end where an admin left the place out."""
    if not fills:
        return text
    before, place, after = text.partition(f"{{{fills}}}")
    return f"{before}{quoted}{after}" if place else f"{before}\n{quoted}"
