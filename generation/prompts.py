"""Prompts: the shipped texts, new versions, and the moves of the live pointer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Max

from generation.errors import BadInput, Conflict, FieldProblem
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt, PromptMove, PromptVersion
from generation.placeholders import check, known, missing


@dataclass(frozen=True)
class Shipped:
    system: str
    user: str


@cache
def shipped(flow: str, stage: str) -> Shipped:
    """The texts of `prompts/<stage>.md` in the flow's folder: a part `# system`, then a part `# user`."""
    known(flow, stage)
    text = (flow_named(flow).folder / "prompts" / f"{stage}.md").read_text(encoding="utf-8")
    system, _, user = text.removeprefix("# system\n").partition("\n# user\n")
    return Shipped(system.strip(), user.strip())


def live(flow: str, stage: str) -> PromptVersion:
    """The live version; a prompt without one gets its first from the shipped text."""
    found = PromptVersion.objects.select_related("prompt").filter(
        pk__in=Prompt.objects.filter(flow=flow, stage=stage).values("live")
    )
    return found.first() or _first(flow, stage)


def _first(flow: str, stage: str) -> PromptVersion:
    text = shipped(flow, stage)
    with transaction.atomic():
        Prompt.objects.get_or_create(flow=flow, stage=stage)
        prompt = _locked(flow=flow, stage=stage)
        if prompt.live is not None:  # somebody else was faster
            return prompt.live
        version = prompt.versions.filter(number=1).first() or _insert(
            prompt, system=text.system, user=text.user, note="as shipped"
        )
        _point(prompt, version, by=None, why="first version, as shipped")
    return version


def seed() -> None:
    """A live version for every stage of every flow."""
    for name in FLOWS:
        for stage in flow_named(name).stages:
            live(name, stage)


def save_version(
    prompt: Prompt,
    *,
    system: str,
    user: str,
    model: str = "",
    parameters: Mapping[str, Any] | None = None,
    author: AbstractBaseUser | None = None,
    note: str = "",
) -> PromptVersion:
    """The next version, not yet live. BadInput names every placeholder that is unknown, malformed or missing."""
    problems = check(prompt.flow, prompt.stage, system, "/system") + check(
        prompt.flow, prompt.stage, user, "/user"
    )
    problems += [
        FieldProblem("/user", f"<<{name}>> is missing: the stage {prompt.stage} cannot do without it")
        for name in missing(prompt.flow, prompt.stage, user)
    ]
    if problems:
        raise BadInput(*problems)
    with transaction.atomic():
        locked = _locked(pk=prompt.pk)
        return _insert(
            locked, system=system, user=user, model=model, parameters=parameters or {}, author=author, note=note
        )


def _locked(**key: Any) -> Prompt:
    """The prompt's row, locked. Nothing is joined: who had to wait would see the new pointer and no version."""
    return Prompt.objects.select_for_update().get(**key)


def _insert(prompt: Prompt, **fields: Any) -> PromptVersion:
    newest = prompt.versions.aggregate(number=Max("number"))["number"] or 0
    return PromptVersion.objects.create(prompt=prompt, number=newest + 1, **fields)


def make_live(version: PromptVersion, *, by: AbstractBaseUser | None, why: str) -> PromptMove:
    """Point the prompt to this version, forward or back; Conflict where it is live already."""
    with transaction.atomic():
        prompt = _locked(pk=version.prompt_id)
        if prompt.live_id == version.pk:
            raise Conflict(f"version {version.number} of {prompt} is live already")
        return _point(prompt, version, by=by, why=why)


def _point(prompt: Prompt, version: PromptVersion, *, by: AbstractBaseUser | None, why: str) -> PromptMove:
    move = PromptMove.objects.create(
        prompt=prompt,
        from_version=prompt.live,
        to_version=version,
        by=by,  # type: ignore[misc]
        why=why,
    )
    prompt.live = version
    prompt.save(update_fields=["live"])
    return move
