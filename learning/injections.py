"""Building what goes into one prompt: fragments per placeholder, without repeats, under one budget."""

from dataclasses import dataclass, replace

from generation.guidance import Fragment


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

    def within(self, total: int) -> tuple[tuple[Fragment, ...], tuple[Fragment, ...]]:
        """What fits into the total, and what was dropped for it: whole fragments, the least important first."""
        kept, dropped = list(self._found), []
        while sum(len(found.fragment.text) + 1 for found in kept) > total + 1:
            least = max(reversed(kept), key=lambda found: found.rank)
            kept.remove(least)
            dropped.append(least.fragment)
        return tuple(found.fragment for found in kept), tuple(dropped)
