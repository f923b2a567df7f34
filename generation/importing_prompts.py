"""Wordings of files made versions: what each would change, and all of them at once, or none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from generation.models import Prompt, PromptVersion
from generation.prompt_files import Wording, text_of, wording_of
from generation.prompts import live, make_live, save_version, ships_any


@dataclass(frozen=True)
class Change:
    """One file beside the prompt as it stands. same: the version that says just what the file says."""

    wording: Wording
    live: PromptVersion | None
    same: PromptVersion | None

    @property
    def is_live(self) -> bool:
        return self.same is not None and self.live is not None and self.same.pk == self.live.pk

    @property
    def is_stale(self) -> bool:
        """Whether the file was made of a version that is live no more."""
        return bool(self.wording.version) and self.live is not None and self.wording.version != self.live.number

    @property
    def diff(self) -> list[str]:
        """Against what is live, as lines; what does not make another version is left aside."""
        name = str(self.wording.name)
        before = "" if self.live is None else _comparable(wording_of(self.live))
        said = "nothing" if self.live is None else f"{name}, live version {self.live.number}"
        after = _comparable(self.wording)
        return list(unified_diff(before.splitlines(), after.splitlines(), said, name, lineterm=""))


def _comparable(wording: Wording) -> str:
    return text_of(Wording(**{**vars(wording), "version": 0, "note": ""}))


def changes(wordings: Iterable[Wording]) -> list[Change]:
    return [_change(wording) for wording in wordings]


def _change(wording: Wording) -> Change:
    versions = PromptVersion.objects.filter(prompt__flow=wording.flow, prompt__stage=wording.stage)
    standing = _live(wording)
    kept = versions.filter(model=wording.model).select_related("prompt").order_by("number")
    same = [version for version in kept if wording_of(version).says == wording.says]
    if standing is not None and standing in same:
        return Change(wording, standing, standing)
    return Change(wording, standing, same[0] if same else None)


def _live(wording: Wording) -> PromptVersion | None:
    if ships_any(wording.flow, wording.stage):
        return live(wording.flow, wording.stage)  # so that the shipped text is the first version
    prompt = Prompt.objects.filter(flow=wording.flow, stage=wording.stage).select_related("live__prompt").first()
    return None if prompt is None else prompt.live


def apply(
    found: Sequence[Change], *, by: AbstractBaseUser | None, why: str, go_live: bool
) -> list[tuple[Path, PromptVersion]]:
    """Make the versions that there are not yet; where `go_live`, point the prompts to them. All or nothing.

    Raises BadInput, and Conflict where a version may not be made live.
    """
    made = []
    with transaction.atomic():
        for change in found:
            version = change.same or _save(change.wording, by)
            if go_live and (change.live is None or change.live.pk != version.pk):
                make_live(version, by=by, why=why)
            made.append((change.wording.name, version))
    return made


def _save(wording: Wording, by: AbstractBaseUser | None) -> PromptVersion:
    prompt, _ = Prompt.objects.get_or_create(flow=wording.flow, stage=wording.stage)
    return save_version(
        prompt,
        system=wording.system,
        user=wording.user,
        model=wording.model,
        parameters=wording.parameters,
        author=by,
        note=wording.note or f"of the file {wording.name}",
    )
