"""All versions of a prompt, page by page, what was live when, and any two of them compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generation.models import Prompt, PromptMove, PromptVersion
from generation.version_diff import VersionDiff

PAGE = 50


@dataclass(frozen=True)
class Listing:
    """versions: the newest first, from one number down. once_live: ids of those of them that were ever live."""

    versions: Sequence[PromptVersion]
    older: int | None  # where the next page begins: the number below which its versions are
    once_live: frozenset[int]
    moves: Sequence[PromptMove]
    compared: VersionDiff | None
    a: int  # the numbers that are chosen for a comparison; 0: none
    b: int


def listing(prompt: Prompt, asked: Mapping[str, str]) -> Listing:
    """asked: `before` a number, `a` and `b` the numbers to compare. What cannot be read is as if not asked."""
    found = prompt.versions.select_related("author").order_by("-number")
    before = _number(asked.get("before", ""))
    if before:
        found = found.filter(number__lt=before)
    versions = list(found[: PAGE + 1])
    shown = versions[:PAGE]
    live = PromptMove.objects.filter(to_version__in=[version.pk for version in shown])
    moves = prompt.moves.select_related("from_version", "to_version__author", "by")
    compared = _compared(prompt, _number(asked.get("a", "")), _number(asked.get("b", "")))
    newest = shown[0].number if shown else 0
    live_number = prompt.live.number if prompt.live else 0
    return Listing(
        versions=shown,
        older=shown[-1].number if len(versions) > PAGE else None,
        once_live=frozenset(live.values_list("to_version", flat=True)),
        moves=list(moves[:20]),
        compared=compared,
        a=compared.before.number if compared else live_number,
        b=compared.after.number if compared else newest,
    )


def _compared(prompt: Prompt, a: int, b: int) -> VersionDiff | None:
    both = {version.number: version for version in prompt.versions.filter(number__in=[a, b])}
    return VersionDiff(both[a], both[b]) if a in both and b in both and a != b else None


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0
