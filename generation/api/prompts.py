"""REST calls on prompts: which version is live, every version, every move. People alone write them."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from generation.access import ApiKeyAuth
from generation.models import Prompt, PromptMove, PromptVersion
from generation.rest.pagination import Paging, page
from generation.rest.problems import errors

router = Router(tags=["Prompts"])
VERSION_FIELDS = ("number", "system", "user", "model", "parameters", "note", "created_at")


class PromptOut(Schema):
    """The prompt of one stage."""

    flow: str = Field(examples=["item"])
    stage: str = Field(examples=["extraction"])
    live: int | None = Field(description="Number of the version that runs are made with.")
    url: str
    web_url: str = Field(description="Where an admin edits it.")


class VersionOut(Schema):
    """One wording; it never changes."""

    flow: str
    stage: str
    number: int
    live: bool
    system: str
    user: str = Field(description="With its placeholders, as `<<SOURCE>>`.")
    model: str = Field(description="Empty: the installation's model for this stage.")
    parameters: dict[str, Any]
    author: str | None
    note: str
    created_at: datetime
    url: str
    web_url: str


class MoveOut(Schema):
    """One move of the live pointer."""

    from_version: int | None
    to_version: int
    by: str | None = Field(description="null: Foldback itself, with the first version.")
    why: str
    at: datetime


class Prompts(Schema):
    items: list[PromptOut]
    next_cursor: str | None


class Versions(Schema):
    items: list[VersionOut]
    next_cursor: str | None


class Moves(Schema):
    items: list[MoveOut]
    next_cursor: str | None


@router.get("/prompts", auth=ApiKeyAuth("read"), response=Prompts, summary="List prompts")
def list_prompts(request: HttpRequest, paging: Paging) -> dict[str, Any]:
    """One per flow and stage, by their names."""
    found = page(Prompt.objects.select_related("live"), ("flow", "stage"), paging)
    return {"items": [_prompt(request, prompt) for prompt in found.items], "next_cursor": found.next_cursor}


@router.get(
    "/prompts/{slug:flow}/{slug:stage}",
    auth=ApiKeyAuth("read"),
    response={200: PromptOut, **errors(404)},
    summary="Read a prompt",
)
def read_prompt(request: HttpRequest, flow: str, stage: str) -> dict[str, Any]:
    """Which version is live. `POST /prompts/resolve` fills it in."""
    return _prompt(request, _found(flow, stage))


@router.get(
    "/prompts/{slug:flow}/{slug:stage}/versions",
    auth=ApiKeyAuth("read"),
    response={200: Versions, **errors(404)},
    summary="List a prompt's versions",
)
def list_versions(request: HttpRequest, flow: str, stage: str, paging: Paging) -> dict[str, Any]:
    """Newest first, with their texts."""
    found = page(_versions(_found(flow, stage)), ("-number",), paging)
    return {"items": [_version(request, version) for version in found.items], "next_cursor": found.next_cursor}


@router.get(
    "/prompts/{slug:flow}/{slug:stage}/versions/{int:number}",
    auth=ApiKeyAuth("read"),
    response={200: VersionOut, **errors(404)},
    summary="Read a prompt's version",
)
def read_version(request: HttpRequest, flow: str, stage: str, number: int) -> dict[str, Any]:
    """A call's `prompt_version` is this number."""
    found = _versions(_found(flow, stage)).filter(number=number).first()
    if found is None:
        raise Http404(_("This prompt has no version of this number."))
    return _version(request, found)


@router.get(
    "/prompts/{slug:flow}/{slug:stage}/moves",
    auth=ApiKeyAuth("read"),
    response={200: Moves, **errors(404)},
    summary="List the moves of a prompt's live version",
)
def list_moves(request: HttpRequest, flow: str, stage: str, paging: Paging) -> dict[str, Any]:
    """Who made which version live, when and why; newest first."""
    rows = PromptMove.objects.filter(prompt=_found(flow, stage)).select_related("from_version", "to_version", "by")
    found = page(rows, ("-id",), paging)
    return {"items": [_move(move) for move in found.items], "next_cursor": found.next_cursor}


def _found(flow: str, stage: str) -> Prompt:
    prompt = Prompt.objects.select_related("live").filter(flow=flow, stage=stage).first()
    if prompt is None:
        raise Http404(_("There is no prompt of this flow and stage."))
    return prompt


def _versions(prompt: Prompt) -> QuerySet[PromptVersion]:
    return prompt.versions.select_related("prompt", "author")


def _prompt(request: HttpRequest, prompt: Prompt) -> dict[str, Any]:
    url = reverse("api:read_prompt", args=[prompt.flow, prompt.stage])
    page_of = reverse("admin:generation_prompt_change", args=[prompt.pk])
    return {
        "flow": prompt.flow,
        "stage": prompt.stage,
        "live": prompt.live.number if prompt.live else None,
        "url": request.build_absolute_uri(url),
        "web_url": request.build_absolute_uri(page_of),
    }


def _version(request: HttpRequest, version: PromptVersion) -> dict[str, Any]:
    prompt = version.prompt
    url = reverse("api:read_version", args=[prompt.flow, prompt.stage, version.number])
    page_of = reverse("admin:generation_prompt_version", args=[prompt.pk, version.number])
    return {
        "flow": prompt.flow,
        "stage": prompt.stage,
        "live": prompt.live_id == version.pk,
        "author": version.author.get_username() if version.author else None,
        "url": request.build_absolute_uri(url),
        "web_url": request.build_absolute_uri(page_of),
        **{name: getattr(version, name) for name in VERSION_FIELDS},
    }


def _move(move: PromptMove) -> dict[str, Any]:
    return {
        "from_version": move.from_version.number if move.from_version else None,
        "to_version": move.to_version.number,
        "by": move.by.get_username() if move.by else None,
        "why": move.why,
        "at": move.at,
    }
