"""Building what goes into one prompt: fragments per placeholder, without repeats, under one budget."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from generation.guidance import Fragment
from generation.tokens import tokens_at_most


def size(fragments: Iterable[Fragment]) -> int:
    """Characters of the fragments, joined by line ends."""
    return max(0, sum(len(fragment.text) + 1 for fragment in fragments) - 1)


def bound(fragments: Iterable[Fragment]) -> int:
    """Tokens of the fragments, joined, at most."""
    return sum(tokens_at_most(fragment.text) for fragment in fragments)


@dataclass(frozen=True)
class _Ranked:
    rank: int
    fragment: Fragment


class Injections:
    """Fragments in the order in which they were given. What has the highest rank gives way first."""

    def __init__(self) -> None:
        self._found: list[_Ranked] = []

    def inject_conditionally(
        self,
        condition: bool,
        placeholder: str,
        text: str,
        *,
        reason: str,
        key: str = "",
        evidence: tuple[int, ...] = (),
        rank: int = 0,
    ) -> None:
        """Append the text to its placeholder where the condition holds; said already, it only gains evidence."""
        if not condition or not text.strip():
            return
        for index, known in enumerate(self._found):
            if (known.fragment.placeholder, known.fragment.text) == (placeholder, text):
                both = tuple(sorted({*known.fragment.evidence, *evidence}))
                self._found[index] = _Ranked(min(known.rank, rank), replace(known.fragment, evidence=both))
                return
        self._found.append(_Ranked(rank, Fragment(placeholder, text, reason, key, evidence)))

    def within(self, total: int, tokens: int) -> tuple[tuple[Fragment, ...], tuple[Fragment, ...]]:
        """What fits, and what was dropped for it: whole fragments, the least important first.

        total: characters. tokens: at most, whatever the tokenizer.
        """
        kept, dropped = list(self._found), []
        while kept and (size([f.fragment for f in kept]) > total or bound([f.fragment for f in kept]) > tokens):
            least = max(reversed(kept), key=lambda found: found.rank)
            kept.remove(least)
            dropped.append(least.fragment)
        return tuple(found.fragment for found in kept), tuple(dropped)
