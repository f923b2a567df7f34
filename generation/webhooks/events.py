"""What generation tells: the shape of each event's data, and the words that are told where it happens."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from ninja import Schema
from pydantic import Field

from generation.links import absolute
from generation.models import Prompt, PromptMove, Run, Status
from generation.webhooks import outbox


class RunTold(Schema):
    """A run whose generating ended. Its record and its judgements are read at `url`."""

    run: UUID
    flow: str = Field(examples=["item"])
    subcategory: str | None = Field(description="Its slug.", examples=["cordless-drills"])
    batch: UUID | None
    external_id: str | None
    status: str = Field(
        description="`awaiting_review`, `needs_human_review`, `failed` or `stopped`.",
        examples=["awaiting_review"],
    )
    judge_outcome: str = Field(examples=["passed"])
    revision: int = Field(description="Of its newest draft; 0: it has none.")
    round: int
    error: str | None = Field(description="The code of the reason, where there is one.", examples=["timeout"])
    finished_at: datetime | None
    url: str = Field(description="Where a key of scope `read` reads it.")
    web_url: str = Field(description="Where a person reviews it.")


class PromptTold(Schema):
    """A version of a prompt that went live; later calls of this stage are sent with it."""

    flow: str = Field(examples=["item"])
    stage: str = Field(examples=["extraction"])
    version: int = Field(description="Its number.")
    previous_version: int | None = Field(description="The number that was live before; null for the first one.")
    url: str = Field(description="Where a key of scope `read` reads the version.")
    web_url: str = Field(description="Where an admin sees it.")


class TestTold(Schema):
    """An admin asked for this message, to see whether messages arrive."""

    endpoint: UUID


def runs_finished(run_ids: Collection[UUID]) -> None:
    """Tell that generating these runs ended, in the caller's transaction, after the write of their status."""
    if not run_ids:
        return
    told: list[tuple[str, RunTold]] = []
    for run in Run.objects.filter(pk__in=run_ids).select_related("subcategory").order_by("pk"):
        data = _of(run)
        told.append(("run.finished", data))
        if run.status == Status.NEEDS_HUMAN_REVIEW:
            told.append(("run.needs_human_review", data))
    outbox.emit_all([(type, data.model_dump(mode="json")) for type, data in told])


def _of(run: Run) -> RunTold:
    return RunTold(
        run=run.pk,
        flow=run.flow,
        subcategory=run.subcategory.slug if run.subcategory else None,
        batch=run.batch_id,
        external_id=run.external_id or None,
        status=run.status,
        judge_outcome=run.judge_outcome,
        revision=run.revision,
        round=run.round,
        error=(run.error or {}).get("code"),
        finished_at=run.finished_at,
        url=absolute("api:read_run", run.pk),
        web_url=absolute("run", run.pk),
    )


def prompt_activated(prompt: Prompt, move: PromptMove) -> None:
    """Tell that the live pointer moved, in the caller's transaction."""
    told = PromptTold(
        flow=prompt.flow,
        stage=prompt.stage,
        version=move.to_version.number,
        previous_version=move.from_version.number if move.from_version else None,
        url=absolute("api:read_version", prompt.flow, prompt.stage, move.to_version.number),
        web_url=absolute("admin:generation_prompt_change", prompt.pk),
    )
    outbox.emit("prompt.activated", told.model_dump(mode="json"))
