"""Prompts: the shipped texts, new versions, and the moves of the live pointer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Max

from generation.errors import BadInput, Conflict, FieldProblem
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import Prompt, PromptMove, PromptVersion
from generation.placeholders import check, known, missing, own
from generation.webhooks import events


@dataclass(frozen=True)
class Shipped:
    system: str
    user: str


@cache
def shipped(flow: str, stage: str) -> Shipped:
    """The texts of `prompts/<stage>.md` in the flow's folder: a part `# system`, then a part `# user`."""
    known(flow, stage)
    return _parts(_path(flow, stage).read_text(encoding="utf-8"))


def ships(flow: str, stage: str, placeholder: str) -> bool:
    """Whether the shipped text of a stage holds a placeholder. A stage may come without a text."""
    if not _path(flow, stage).exists():
        return False
    text = shipped(flow, stage)
    return f"<<{placeholder}>>" in text.system + text.user


def ships_any(flow: str, stage: str) -> bool:
    """Whether a stage comes with a text at all."""
    return _path(flow, stage).exists()


def _path(flow: str, stage: str) -> Path:
    return flow_named(flow).folder / "prompts" / f"{stage}.md"


def _parts(text: str) -> Shipped:
    system, _, user = text.removeprefix("# system\n").partition("\n# user\n")
    return Shipped(system.strip(), user.strip())


def live(flow: str, stage: str) -> PromptVersion:
    """The live version; a prompt without one gets its first from the shipped text."""
    found = PromptVersion.objects.select_related("prompt").filter(
        pk__in=Prompt.objects.filter(flow=flow, stage=stage).values("live")
    )
    return found.first() or _first(flow, stage)


def version_for(flow: str, stage: str, options: Mapping[str, Any]) -> PromptVersion:
    """What a run of these options is asked with: its own version, else the setting's file, else the live version.

    Raises BadInput where the setting names a file that cannot be read.
    """
    chosen = (options.get("prompt_versions") or {}).get(stage)
    found = PromptVersion.objects.select_related("prompt").filter(pk=chosen).first() if chosen else None
    if found is not None:
        return found
    if path := _file_of(flow, stage):
        return from_file(flow, stage, Path(path), _setting(flow, stage))
    return live(flow, stage)


def resolves(flow: str, stage: str, options: Mapping[str, Any]) -> bool:
    """Whether a stage has a prompt at all, by any of these ways."""
    if (options.get("prompt_versions") or {}).get(stage) or _file_of(flow, stage):
        return True
    return (
        Prompt.objects.filter(flow=flow, stage=stage, live__isnull=False).exists() or _path(flow, stage).exists()
    )


def from_file(flow: str, stage: str, path: Path, named: str) -> PromptVersion:
    """The file's text as a version, which is not made live: a new one where no version says just that.

    The file is a `# system` part and a `# user` part, or the user's alone; placeholders that the stage cannot do
    without are put below it. named: what named the file, for BadInput.
    """
    try:
        text = path.expanduser().read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        problem = f"the prompt's file {path} cannot be read: {type(error).__name__}"
        raise BadInput.at(f"/{named}", problem) from None
    parts = _parts(text) if text.startswith("# system\n") else Shipped("", text.strip())
    lost = [f"<<{name}>>" for name in missing(flow, stage, parts.user)]
    lost += [f"<<{own(stage)}>>"] if f"<<{own(stage)}>>" not in parts.user else []
    user = "\n\n".join(filter(None, (parts.user, *lost)))
    if _path(flow, stage).exists():
        live(flow, stage)  # so that the shipped text stays the first version
    prompt, _ = Prompt.objects.get_or_create(flow=flow, stage=stage)
    same = prompt.versions.select_related("prompt").filter(system=parts.system, user=user, model="")
    note = f"of the file {path.name}"[:300]
    return same.order_by("number").first() or save_version(prompt, system=parts.system, user=user, note=note)


def _setting(flow: str, stage: str) -> str:
    """The setting that may name a file for this stage; "" for none."""
    role = flow_named(flow).stages[stage].prompt_file
    return f"FOLDBACK_{role.upper()}_PROMPT" if role else ""


def _file_of(flow: str, stage: str) -> str:
    name = _setting(flow, stage)
    return str(getattr(settings, name)) if name else ""


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
            if _path(name, stage).exists():
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
    newest_seen: int | None = None,
) -> PromptVersion:
    """The next version, not yet live. BadInput names every placeholder that is unknown, malformed or missing.

    newest_seen: the newest version's number that the author knew of; Overtaken where there is a newer one.
    """
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
        newest = locked.versions.order_by("-number").first()
        if newest_seen is not None and newest is not None and newest.number > newest_seen:
            raise Overtaken(newest)
        return _insert(
            locked, system=system, user=user, model=model, parameters=parameters or {}, author=author, note=note
        )


def _locked(**key: Any) -> Prompt:
    """The prompt's row, locked. Nothing is joined: who had to wait would see the new pointer and no version."""
    return Prompt.objects.select_for_update().get(**key)


def _insert(prompt: Prompt, **fields: Any) -> PromptVersion:
    newest = prompt.versions.aggregate(number=Max("number"))["number"] or 0
    return PromptVersion.objects.create(prompt=prompt, number=newest + 1, **fields)


class Overtaken(Conflict):
    """Somebody else saved or moved something meanwhile. version: what is newest, or live, by now."""

    def __init__(self, version: PromptVersion) -> None:
        self.version = version
        super().__init__(f"meanwhile there is version {version.number} of {version.prompt}")


def make_live(
    version: PromptVersion, *, by: AbstractBaseUser | None, why: str, live_seen: int | None = None
) -> PromptMove:
    """Point the prompt to this version, forward or back.

    Conflict where it is live already, or where a second person has to (`needs_second_person`). live_seen: the
    number that was live when its effect was shown; Overtaken where another one is by now.
    """
    with transaction.atomic():
        prompt = _locked(pk=version.prompt_id)
        if prompt.live_id == version.pk:
            raise Conflict(f"version {version.number} of {prompt} is live already")
        if live_seen is not None and prompt.live is not None and prompt.live.number != live_seen:
            raise Overtaken(prompt.live)
        if needs_second_person(version) and (by is None or by.pk == version.author_id):
            raise Conflict(f"version {version.number} of {prompt} is made live by somebody else than its author")
        return _point(prompt, version, by=by, why=why)


def needs_second_person(version: PromptVersion) -> bool:
    """Whether its author may not make it live: with FOLDBACK_PROMPT_APPROVAL, and only until it was live once.

    What was live before has been approved, and going back must not wait for somebody. A version without an author
    (shipped, of a file) was proposed by nobody who is known here.
    """
    if not settings.FOLDBACK_PROMPT_APPROVAL or version.author_id is None:
        return False
    return not was_live(version)


def was_live(version: PromptVersion) -> bool:
    return PromptMove.objects.filter(to_version=version).exists()


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
    events.prompt_activated(prompt, move)
    return move
