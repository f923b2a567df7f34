"""Two texts as one, word by word: what is in both, what was taken out, what came in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

WORD = re.compile(r"\w+|\s+|[^\w\s]")
MOST_WORDS = 4000  # of both texts together; of longer ones no words are marked
ALIKE = 0.3  # texts that share less of their words are two texts, not one that was changed


@dataclass(frozen=True)
class Words:
    """A stretch of a text that is in both, or in one alone."""

    kind: Literal["same", "added", "removed"]
    text: str


def marked(before: str, after: str) -> Iterator[Words]:
    """Both texts in one, their words compared."""
    old, new = WORD.findall(before), WORD.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False) if len(old) + len(new) <= MOST_WORDS else None
    if matcher is None or not _alike(matcher, old, new):
        yield from (words for words in (Words("removed", before), Words("added", after)) if words.text)
        return
    for kind, start, end, begin, stop in matcher.get_opcodes():
        if kind == "equal":
            yield Words("same", "".join(new[begin:stop]))
            continue
        if taken := "".join(old[start:end]):
            yield Words("removed", taken)
        if put := "".join(new[begin:stop]):
            yield Words("added", put)


def _alike(matcher: "SequenceMatcher[str]", old: Sequence[str], new: Sequence[str]) -> bool:
    shared = sum(
        not word.isspace() for at, _to, size in matcher.get_matching_blocks() for word in old[at : at + size]
    )
    words = sum(not word.isspace() for word in (*old, *new))
    return 2 * shared >= ALIKE * words
