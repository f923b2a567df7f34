"""The seam through which learning reaches prompts: shapes, and the resolver named in the settings.

`PROMPT_RESOLVER` is a dotted path to a callable `(GuidanceRequest) -> Guidance`. It must not raise;
where one does all the same, `ask` logs it and answers with no guidance (the unguided prompt).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Fragment:
    """One text for one placeholder, with its cause.

    reason: a signal or trigger name, "notes" or "example". evidence: ids of the review events
    that caused it, oldest first. run: the run whose record an example shows.
    """

    placeholder: str
    text: str
    reason: str
    guidance_key: str = ""
    evidence: tuple[int, ...] = ()
    run: UUID | None = None


@dataclass(frozen=True)
class GuidanceRequest:
    """What is asked: guidance for one stage of one run, or of no run yet (a preview).

    review: signals that stand for the run's own review (`/prompts/resolve`); for a run of
    round 2 or later the resolver reads the run's own review from its events.
    """

    flow: str
    stage: str
    subcategory_id: int | None
    run_id: UUID | None = None
    round: int = 1
    arm: str = "guided"
    review: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Guidance:
    """What learning says: fragments in their final order, and the booleans that steer the flow."""

    fragments: tuple[Fragment, ...] = ()
    broad_search: bool = True  # False: information is present, only explicit queries are searched
    force_formatter: bool = False  # the formatter stage runs although the form is right
    trigger_state: Mapping[str, Any] | None = None  # JSON: as the triggers stood, None where not asked
    guided_by: tuple[str, ...] = ()  # what of the reviewed runs' lessons speaks in it, by name
    low_confidence: bool = False
    example_run: UUID | None = None
    degradations: tuple[str, ...] = field(default_factory=tuple)  # steps that fell back, by name

    def text(self, placeholder: str) -> str:
        """The joined text for one placeholder; the empty string where nothing speaks."""
        return "\n".join(f.text for f in self.fragments if f.placeholder == placeholder)


Resolver = Callable[[GuidanceRequest], Guidance]


def unguided(request: GuidanceRequest) -> Guidance:
    """The resolver of an installation without learning."""
    return Guidance()


def ask(request: GuidanceRequest) -> Guidance:
    """The configured resolver's answer; no guidance, loudly logged, where it failed."""
    try:
        resolver: Resolver = import_string(settings.PROMPT_RESOLVER) if settings.PROMPT_RESOLVER else unguided
        return resolver(request)
    except Exception:  # degrade-gracefully point: a run never dies of learning
        log.exception("guidance_failed", flow=request.flow, stage=request.stage, run=str(request.run_id))
        return Guidance(degradations=("resolution",))
