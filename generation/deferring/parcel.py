"""Parcel: a prepared request as JSON, so that what is sent and kept hours later is what was prepared."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from generation.assembly import Assembled
from generation.calls import Prepared, Step
from generation.flows import flow as flow_named
from generation.guidance import Fragment, Guidance
from generation.models import DeferredCall
from generation.placeholders import Segment
from generation.providers.base import Request, Search

Json = dict[str, Any]


def pack(prepared: Prepared) -> Json:
    """All but the step and the version, which the row has itself; prompts as the segments they are made of."""
    request, guidance = prepared.request, prepared.guidance
    return {
        "model": request.model,
        "parameters": dict(request.parameters),
        "search": {"broad": request.search.broad, "queries": list(request.search.queries)},
        "system": [_segment(segment) for segment in prepared.assembled.system],
        "user": [_segment(segment) for segment in prepared.assembled.user],
        "guidance": {
            "broad_search": guidance.broad_search,
            "force_formatter": guidance.force_formatter,
            "trigger_state": None if guidance.trigger_state is None else dict(guidance.trigger_state),
            "guided_by": list(guidance.guided_by),
            "low_confidence": guidance.low_confidence,
            "example_run": str(guidance.example_run) if guidance.example_run else None,
            "degradations": list(guidance.degradations),
        },
    }


def unpack(row: DeferredCall) -> Prepared:
    """The row's request as it was prepared. Its run is read for the flow; BadInput where that is gone."""
    kept = row.parcel
    flow = flow_named(row.run.flow)
    stage = flow.stages[row.stage]
    assembled = Assembled(_segments(kept["system"]), _segments(kept["user"]))
    request = Request(
        flow=flow.name,
        stage=stage.name,
        system=assembled.system_text,
        stable=assembled.stable,
        volatile=assembled.volatile,
        model=kept["model"],
        schema=stage.answer,
        search=Search(kept["search"]["broad"], tuple(kept["search"]["queries"])),
        parameters=kept["parameters"],
        deterministic=stage.deterministic,
    )
    step = Step(row.run_id, row.round, row.cycle, row.stage)
    return Prepared(step, request, row.prompt_version, _guidance(kept["guidance"], assembled), assembled)


def _guidance(kept: Mapping[str, Any], assembled: Assembled) -> Guidance:
    example = kept["example_run"]
    return Guidance(
        fragments=tuple(assembled.fragments),
        broad_search=kept["broad_search"],
        force_formatter=kept["force_formatter"],
        trigger_state=kept["trigger_state"],
        guided_by=tuple(kept.get("guided_by", ())),
        low_confidence=kept["low_confidence"],
        example_run=UUID(example) if example else None,
        degradations=tuple(kept["degradations"]),
    )


def _segment(segment: Segment) -> Json:
    fragment = segment.fragment
    if fragment is None:
        return {"text": segment.text, "placeholder": segment.placeholder}
    kept = asdict(fragment) | {"run": str(fragment.run) if fragment.run else None}
    return {"text": segment.text, "placeholder": segment.placeholder, "fragment": kept}


def _segments(kept: list[Json]) -> list[Segment]:
    return [Segment(one["text"], one["placeholder"], _fragment(one.get("fragment"))) for one in kept]


def _fragment(kept: Mapping[str, Any] | None) -> Fragment | None:
    if kept is None:
        return None
    run, evidence = kept["run"], tuple(kept["evidence"])
    return Fragment(**{**kept, "evidence": evidence, "run": UUID(run) if run else None})
