"""What generation's calls answer: the JSON shapes, and how each is read off the models."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from ninja import Schema
from pydantic import Field

from generation.blind import judge_hidden, without_judge
from generation.models import Call, Draft, Injection, Judgement, Run


class Usage(Schema):
    """Tokens and cost of all calls of the run."""

    input_tokens: int
    output_tokens: int
    cost_usd: float


class RunFacts(Schema):
    """A run without what learning did to it."""

    id: UUID
    flow: str = Field(examples=["item"])
    subcategory: str | None = Field(description="Its slug; null until the categorizer found one.")
    institution: str | None
    batch: UUID | None
    external_id: str | None
    title: str
    status: str = Field(examples=["awaiting_review"])
    judge_outcome: str = Field(examples=["passed"])
    provider: str
    model: str
    revision: int = Field(description="Of the newest draft; 0: none yet.")
    round: int = Field(description="From 1, one more with each person's `revise`.")
    source: dict[str, Any] = Field(description="As it was given.")
    metadata: dict[str, Any] = Field(description="As it was given.")
    error: dict[str, Any] | None = Field(
        description="Why it ended so: `code` and `detail`, and the `cause` where the judge could not judge."
    )
    latest_review: dict[str, Any] | None
    reviews_needed: int = Field(description="How many people review this round, each without knowing the others'.")
    reviews_done: int = Field(description="How many of them have.")
    reviewers_disagree: bool = Field(description="An adjudicator decides.")
    usage: Usage
    set_aside: bool = Field(description="A person took it out of the queue, until a person puts it back.")
    created_at: datetime
    finished_at: datetime | None = Field(description="When generating ended; not when a person decided.")
    url: str
    web_url: str = Field(description="Where a person reviews it.")


class RunLine(RunFacts):
    """A run as lists show it: what it costs to read does not grow with its trail."""

    arm: str = Field(description="`control`: made without what learning says.", examples=["guided"])
    holdout_share: float = Field(
        description="The share of runs that were drawn as `control` when this one was made; 0: none was drawn.",
        examples=[0.1],
    )


class JudgementOut(Schema):
    id: int
    round: int
    cycle: int
    kind: str = Field(examples=["supervisor"])
    outcome: str = Field(description="`passed`, `failed`, or `unavailable`: it could not judge.")
    revision: int | None = Field(description="Of the draft that was judged.")
    prompt_version: int | None
    model: str
    result: dict[str, Any]
    correction_applied: bool
    correction_target: str
    created_at: datetime


class InjectionOut(Schema):
    """One guidance text as it went into one prompt."""

    call: int
    stage: str
    round: int
    placeholder: str
    guidance_key: str
    reason: str
    text: str
    evidence: list[int] = Field(description="Ids of the review events that caused it.")


class RunOut(RunLine):
    """A run with its record and what was said of it."""

    output: Any | None = Field(description="The newest draft's record; null while there is none.")
    judgements: list[JudgementOut]
    injections: list[InjectionOut]


class DraftOut(Schema):
    """The record at one revision."""

    revision: int
    round: int
    content: Any
    findings: list[dict[str, Any]] = Field(description="What the deterministic check found.")
    made_by: str
    author: str | None
    created_at: datetime
    url: str
    web_url: str = Field(description="Its place on the run's page.")


class CallOut(Schema):
    """One request to a provider, as it was sent, and what came back."""

    id: int
    round: int
    cycle: int
    stage: str
    attempt: int
    prompt_version: int | None
    provider: str
    model: str
    system: str
    user: str
    request: dict[str, Any] = Field(description="Everything else that was sent: tools, limits, the schema's name.")
    answer: str
    error: dict[str, Any] | None
    usage: dict[str, int | float]
    duration_ms: int
    created_at: datetime
    forgotten_at: datetime | None = Field(description="When its texts were blanked, where they were.")


class Runs(Schema):
    items: list[RunLine]
    next_cursor: str | None


class Drafts(Schema):
    items: list[DraftOut]
    next_cursor: str | None


class Calls(Schema):
    items: list[CallOut]
    next_cursor: str | None


def whole(request: HttpRequest, run: Run) -> RunOut:
    """The run with its record, judgements and injections: three queries more."""
    draft = Draft.objects.filter(run=run, revision=run.revision).first() if run.revision else None
    judgements = Judgement.objects.filter(run=run).select_related("draft", "prompt_version").order_by("id")
    injections = Injection.objects.filter(call__run=run).select_related("call").order_by("call_id", "position")
    hidden = judge_hidden(run, person_of(request))
    return RunOut(
        **line(request, run, hidden=hidden),
        output=draft.content if draft else None,
        judgements=[] if hidden else [_judgement(found) for found in judgements],
        injections=[] if hidden else [_injection(found) for found in injections],
    )


def person_of(request: HttpRequest) -> User | None:
    """Whom the key acts for; None for a service, and outside a request."""
    key = getattr(request, "auth", None)
    return key.user if key else None


def line(request: HttpRequest, run: Run, *, hidden: bool | None = None) -> dict[str, Any]:
    """A RunLine that the answer checks, once. Reads `subcategory` and `institution`: select them along.

    hidden: whether the judge is not to be known; in a list that is so for each person until the run is decided.
    """
    if hidden is None:
        hidden = run.hides_judge and person_of(request) is not None
    if hidden:
        run = without_judge(run)
    return {
        "id": run.id,
        "flow": run.flow,
        "subcategory": run.subcategory.slug if run.subcategory else None,
        "institution": run.institution.slug if run.institution else None,
        "batch": run.batch_id,
        "external_id": run.external_id or None,
        "title": run.title,
        "status": run.status,
        "judge_outcome": run.judge_outcome,
        "provider": run.provider,
        "model": run.model,
        "revision": run.revision,
        "round": run.round,
        "arm": run.arm,
        "holdout_share": float(run.holdout_share),
        "source": run.source,
        "metadata": run.metadata,
        "error": run.error,
        "latest_review": _summary(run.latest_review),
        "reviews_needed": run.reviews_needed or 1,
        "reviews_done": run.reviews_done,
        "reviewers_disagree": run.reviewers_disagree,
        "usage": {
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost_usd": float(run.cost_usd),
        },
        "set_aside": run.set_aside,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "url": request.build_absolute_uri(reverse("api:read_run", args=[run.id])),
        "web_url": request.build_absolute_uri(reverse("run", args=[run.id])),
    }


def _summary(review: dict[str, Any] | None) -> dict[str, Any] | None:
    """The latest review without what only pages need, its time as all times are."""
    if review is None:
        return None
    told = {name: value for name, value in review.items() if name not in ("form", "status_before")}
    return told | {"at": str(told["at"]).replace("+00:00", "Z")}


def _judgement(found: Judgement) -> JudgementOut:
    return JudgementOut(
        id=found.pk,
        round=found.round,
        cycle=found.cycle,
        kind=found.kind,
        outcome=found.outcome,
        revision=found.draft.revision if found.draft else None,
        prompt_version=found.prompt_version.number if found.prompt_version else None,
        model=found.model,
        result=found.result,
        correction_applied=found.correction_applied,
        correction_target=found.correction_target,
        created_at=found.created_at,
    )


def _injection(found: Injection) -> InjectionOut:
    return InjectionOut(
        call=found.call_id,
        stage=found.call.stage,
        round=found.call.round,
        placeholder=found.placeholder,
        guidance_key=found.guidance_key,
        reason=found.reason,
        text=found.text,
        evidence=found.evidence,
    )


def draft(request: HttpRequest, found: Draft, *, hidden: bool = False) -> DraftOut:
    """hidden: whether the judge is not to be known, and so no stage that mends."""
    url = reverse("api:read_draft", args=[found.run_id, found.revision])
    page = reverse("run", args=[found.run_id])
    return DraftOut(
        revision=found.revision,
        round=found.round,
        content=found.content,
        findings=found.findings,
        made_by="" if hidden else found.made_by,
        author=found.author.get_username() if found.author else None,
        created_at=found.created_at,
        url=request.build_absolute_uri(url),
        web_url=request.build_absolute_uri(f"{page}#draft-{found.revision}"),
    )


def call(found: Call) -> CallOut:
    return CallOut(
        id=found.pk,
        round=found.round,
        cycle=found.cycle,
        stage=found.stage,
        attempt=found.attempt,
        prompt_version=found.prompt_version.number if found.prompt_version else None,
        provider=found.provider,
        model=found.model,
        system=found.system,
        user=found.user,
        request=found.request,
        answer=found.answer,
        error=found.error,
        usage={
            "input_tokens": found.input_tokens,
            "output_tokens": found.output_tokens,
            "cache_read_tokens": found.cache_read_tokens,
            "cache_write_tokens": found.cache_write_tokens,
            "cost_usd": float(found.cost_usd),
        },
        duration_ms=found.duration_ms,
        created_at=found.created_at,
        forgotten_at=found.forgotten_at,
    )
