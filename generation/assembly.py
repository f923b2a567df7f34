"""Putting a prompt together: the version's text, filled with the run's values and with guidance."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from generation import material
from generation.flows import flow as flow_named
from generation.flows.base import Flow
from generation.guidance import Fragment, Guidance, GuidanceRequest, ask
from generation.models import Draft, PromptVersion, Run, Subcategory
from generation.placeholders import Segment, fill, own, text_of
from generation.prompts import version_for

# From the first that is filled on, a prompt is the run's own.
VOLATILE = frozenset({"SOURCE", "DRAFT", "FEEDBACK"})


@dataclass(frozen=True)
class Assembled:
    """A prompt as it will be sent; `stable` + `volatile` is the user part, cut for the provider's cache."""

    system: list[Segment]
    user: list[Segment]

    @property
    def system_text(self) -> str:
        return text_of(self.system)

    @property
    def user_text(self) -> str:
        return text_of(self.user)

    @property
    def stable(self) -> str:
        return text_of(self.user[: self._cut])

    @property
    def volatile(self) -> str:
        return text_of(self.user[self._cut :])

    @property
    def _cut(self) -> int:
        own_parts = (
            index for index, segment in enumerate(self.user) if segment.placeholder in VOLATILE and segment.text
        )
        return next(own_parts, len(self.user))

    @property
    def fragments(self) -> list[Fragment]:
        """What learning put in, in the order of the prompt, each once."""
        found = [segment.fragment for segment in (*self.system, *self.user) if segment.fragment]
        return list(dict.fromkeys(found))


def assemble(
    *, flow: str, stage: str, version: PromptVersion, guidance: Guidance, values: Mapping[str, str]
) -> Assembled:
    """Fill the version's two texts. values: NAME → text; guidance fills the stage's own and the example's."""
    segments = {name: [Segment(text)] for name, text in values.items()}
    segments[own(stage)] = _injected(guidance, own(stage))
    segments["EXAMPLE_ITEM"] = _injected(guidance, "EXAMPLE_ITEM") or [Segment(static_example(flow))]
    for name in ("RECORD_SCHEMA", "SOURCE", "SUBCATEGORY", "CATEGORIES", "DRAFT", "FEEDBACK"):
        segments.setdefault(name, [])
    return Assembled(fill(version.system, segments), fill(version.user, segments))


def _injected(guidance: Guidance, placeholder: str) -> list[Segment]:
    """The fragments of one placeholder, joined as `Guidance.text` joins them."""
    segments: list[Segment] = []
    for fragment in guidance.fragments:
        if fragment.placeholder == placeholder:
            segments += [Segment("\n")] if segments else []
            segments.append(Segment(fragment.text, fragment=fragment))
    return segments


@cache
def static_example(flow: str) -> str:
    return (flow_named(flow).folder / "example.json").read_text(encoding="utf-8").strip()


@cache
def record_schema(flow: str) -> str:
    return json.dumps(flow_named(flow).record.model_json_schema(), ensure_ascii=False)


def values_of(
    flow: Flow,
    version: PromptVersion,
    *,
    source: Mapping[str, Any] | None,
    subcategory: Subcategory | None,
    content: Mapping[str, Any] | None = None,
    findings: list[dict[str, str]] | None = None,
    feedback: str = "",
) -> dict[str, str]:
    """The values of the general placeholders; absent things are the empty string.

    Raises BadInput where a source has no harmless form.
    """
    return {
        "RECORD_SCHEMA": record_schema(flow.name),
        "SOURCE": "" if source is None else material.source_text(flow.render_source(source)),
        "SUBCATEGORY": "" if subcategory is None else material.subcategory_text(subcategory),
        "CATEGORIES": material.categories() if "<<CATEGORIES>>" in version.system + version.user else "",
        "DRAFT": "" if content is None else (flow.render_draft or material.draft_text)(content, findings or []),
        "FEEDBACK": material.feedback_text(feedback),
    }


@dataclass(frozen=True)
class Preview:
    """A prompt as it would be sent now."""

    version: PromptVersion
    guidance: Guidance
    assembled: Assembled


def preview(
    *,
    flow: str,
    stage: str,
    subcategory: Subcategory | None,
    review: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
    run: Run | None = None,
    version: PromptVersion | None = None,
    guidance: Guidance | None = None,
) -> Preview:
    """What the stage's prompt says now for a subcategory, or for a run. Makes no call and writes nothing
    but a first version where there is none.

    version: another than the one that would be sent, stored or not; guidance: other than what learning says now.
    Raises BadInput where a version that is not stored holds a placeholder that cannot be filled.
    """
    version = version or version_for(flow, stage, {} if run is None else run.options)
    guidance = guidance or ask(request_for(flow, stage, subcategory, run, review))
    draft = None if run is None else Draft.objects.filter(run=run, revision=run.revision).first()
    values = values_of(
        flow_named(flow),
        version,
        source=run.source if run is not None and source is None else source,
        subcategory=subcategory,
        content=None if draft is None else draft.content,
        findings=None if draft is None else draft.findings,
    )
    assembled = assemble(flow=flow, stage=stage, version=version, guidance=guidance, values=values)
    return Preview(version, guidance, assembled)


def request_for(
    flow: str,
    stage: str,
    subcategory: Subcategory | None,
    run: Run | None = None,
    review: Mapping[str, Any] | None = None,
) -> GuidanceRequest:
    """What learning is asked for a preview."""
    return GuidanceRequest(
        flow=flow,
        stage=stage,
        subcategory_id=None if subcategory is None else subcategory.pk,
        run_id=None if run is None else run.pk,
        round=1 if run is None else run.round,
        arm="guided" if run is None else run.arm,
        review=review,
    )
