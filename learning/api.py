"""The REST calls of learning: triggers, statistics, and a prompt as it would be sent now."""

from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Body, Query, Router, Schema
from pydantic import ConfigDict, Field, ValidationError, WithJsonSchema

from generation.access import ApiKeyAuth
from generation.api.subcategories import by_slug
from generation.assembly import Assembled, preview
from generation.errors import BadInput, FieldProblem, Problems
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Subcategory
from generation.rest.problems import errors
from learning.insights import stats
from learning.triggers import read
from learning.uplift.page import uplift_of
from learning.window import window
from review.api.reviews import Said
from review.normalise import to_names

router = Router(tags=["Learning"])
KnownFlow = Annotated[str, WithJsonSchema({"type": "string", "enum": list(FLOWS)})]
FlowName = Annotated[KnownFlow, Query("item", description="Whose reviews count.")]


class WindowOut(Schema):
    """At most ten runs that a person reviewed last."""

    size: int
    reviewed: int = Field(description="Fewer than `size` where fewer runs were reviewed.")


class TriggersOut(Schema):
    """The window of a flow and subcategory, and the booleans read off it."""

    subcategory: str
    flow: str
    window: WindowOut
    low_confidence: bool = Field(description="Fewer than ten runs were reviewed.")
    triggers: dict[str, dict[str, Any]] = Field(
        description="Each with `fired`, `threshold` and `count`; `missing_spec_trigger` with `fields` instead."
        " Under the policy `steady` also `policy`, the `level` of the evidence, the `bound` at which the trigger"
        " changes, and what of the level was `borrowed` from the category.",
        examples=[{"bad_format_trigger": {"fired": True, "count": 4, "threshold": 3}}],
    )
    runs: list[dict[str, Any]] = Field(description="The runs of the window, oldest first, with what they raised.")


class ShareOut(Schema):
    """How many runs raised a signal, in per cent of those reviewed; null where none was."""

    window: float | None
    window_count: int
    all_time: float | None
    all_time_count: int


class AcceptanceOut(Schema):
    """The share of reviewed runs whose first review was an approval without a correction, in per cent."""

    window: float | None
    all_time: float | None
    accepted: int
    reviewed: int


class CountedOut(Schema):
    """How many of the reviewed runs, and that in per cent; null of none."""

    count: int
    reviewed: int
    percent: float | None


class ComparedOut(Schema):
    """Runs with guidance beside those of the holdout, in per cent and points: by first reviews of first rounds."""

    guided: CountedOut
    control: CountedOut
    difference: float | None = Field(description="With guidance less without, in points.")
    low: float = Field(description="Of the difference. With `high` it holds at all times at once, at 95 %.")
    high: float
    e_value: float = Field(description="Against no difference; from 20 on there is one, whenever it is looked at.")
    verdict: Literal["helps", "harms", "none", "few"] = Field(
        description="`none`: less than 10 points either way. `few`: not enough yet."
    )
    reviews_needed: int | None = Field(
        description="How many more, where it is `few`, at the rates seen so far; null where none is known."
    )


class RecurrenceOut(Schema):
    """How often a correction was asked for before its guidance was first sent, and of runs made since."""

    since: datetime
    before: CountedOut
    guided: CountedOut
    control: CountedOut


class UpliftOut(Schema):
    """Whether guidance helps. `triggers`: of runs made while each was on, how many raised what it stands for."""

    holdout_share: float = Field(description="The one in force; runs drawn by another do not count here.")
    first_pass_acceptance: ComparedOut
    triggers: dict[str, ComparedOut]
    recurrence: dict[str, RecurrenceOut] = Field(description="Of triggers whose guidance was sent.")


class StatsOut(Schema):
    """What reviewers said of a flow's runs in a subcategory."""

    subcategory: str
    flow: str
    window: WindowOut
    signals: dict[str, ShareOut]
    first_pass_acceptance: AcceptanceOut
    counts: dict[str, int] = Field(description="Runs `reviewed` and `waiting`, and `reviews` in all.")
    uplift: UpliftOut


class ResolveIn(Schema):
    """A stage, and what to fill its prompt for."""

    model_config = ConfigDict(extra="forbid")

    flow: str = Field(examples=["item"], json_schema_extra={"enum": list(FLOWS)})
    stage: str = Field(examples=["extraction"])
    subcategory: str | None = Field(default=None, description="Its slug; without one, nothing was learnt.")
    review: Said | None = Field(default=None, description="Stands for the run's own review after a `revise`.")
    source: dict[str, Any] | None = Field(default=None, description="As for a run; left empty without one.")


class FragmentOut(Schema):
    """One guidance text, and why it is there."""

    reason: str
    guidance_key: str
    text: str
    evidence: list[int] = Field(description="Ids of the review events that caused it.")


class PlaceholderOut(Schema):
    text: str
    fragments: list[FragmentOut]


class ResolveOut(Schema):
    system: str
    user: str
    placeholders: dict[str, PlaceholderOut]
    low_confidence: bool
    example_run: UUID | None
    prompt_version: int


@router.get(
    "/subcategories/{slug:slug}/triggers",
    auth=ApiKeyAuth("read"),
    response={200: TriggersOut, **errors(404)},
    summary="Read a subcategory's triggers",
)
def read_triggers(request: HttpRequest, slug: str, flow: FlowName) -> TriggersOut:
    """What reviewers kept correcting in the last ten reviewed runs, and so goes into the next prompts."""
    flow_named(flow)
    seen = window(flow, _subcategory(slug).pk)
    return TriggersOut(
        subcategory=slug, flow=flow, runs=[run.as_json() for run in seen.runs], **read(seen).as_json()
    )


@router.get(
    "/subcategories/{slug:slug}/stats",
    auth=ApiKeyAuth("read"),
    response={200: StatsOut, **errors(404)},
    summary="Read a subcategory's statistics",
)
def read_stats(request: HttpRequest, slug: str, flow: FlowName) -> StatsOut:
    """Each signal's share in per cent over the window and over all time, first-pass acceptance, counts, and
    whether guidance helps."""
    flow_named(flow)
    of = _subcategory(slug)
    uplift = UpliftOut.model_validate(uplift_of(flow, of).as_json())
    return StatsOut(subcategory=slug, flow=flow, uplift=uplift, **stats(flow, of).as_json())


@router.post("/prompts/resolve", auth=ApiKeyAuth("read"), response=ResolveOut, summary="Resolve a prompt")
def resolve_prompt(request: HttpRequest, body: Body[ResolveIn]) -> ResolveOut:
    """The prompt of a stage as it would be sent now, with every guidance text and its causes. Makes no call."""
    flow, wrong = flow_named(body.flow), Problems()
    if body.stage not in flow.stages:
        wrong.append(FieldProblem("/stage", _("One of {known}.").format(known=", ".join(flow.stages))))
    with wrong.gathered():
        subcategory = by_slug(body.subcategory, "/subcategory") if body.subcategory else None
    with wrong.gathered():
        source = _source(body)
    wrong.refuse()
    found = preview(
        flow=body.flow,
        stage=body.stage,
        subcategory=subcategory,
        review=_review(body.review),
        source=source,
    )
    return ResolveOut(
        system=found.assembled.system_text,
        user=found.assembled.user_text,
        placeholders=_placeholders(found.assembled),
        low_confidence=found.guidance.low_confidence,
        example_run=found.guidance.example_run,
        prompt_version=found.version.number,
    )


def _subcategory(slug: str) -> Subcategory:
    found = Subcategory.objects.filter(slug=slug).first()
    if found is None:
        raise Http404(_("There is no subcategory of this slug."))
    return found


def _review(said: Said | None) -> dict[str, Any] | None:
    return said.dict() | {"missing_spec": to_names(said.missing_spec)} if said else None


def _source(body: ResolveIn) -> dict[str, Any] | None:
    if body.source is None:
        return None
    try:
        flow_named(body.flow).source.model_validate(body.source)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, "/source") from None
    return body.source


def _placeholders(assembled: Assembled) -> dict[str, PlaceholderOut]:
    """What went into each placeholder; one that stands in several places is told once."""
    found: dict[str, PlaceholderOut] = {}
    for name, group in groupby([*assembled.system, *assembled.user], key=lambda segment: segment.placeholder):
        segments = list(group)
        if name and name not in found:
            fragments = [segment.fragment for segment in segments if segment.fragment]
            found[name] = PlaceholderOut(
                text="".join(segment.text for segment in segments),
                fragments=[
                    FragmentOut(
                        reason=fragment.reason,
                        guidance_key=fragment.guidance_key,
                        text=fragment.text,
                        evidence=list(fragment.evidence),
                    )
                    for fragment in fragments
                ],
            )
    return found
