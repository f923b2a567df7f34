"""An export as bytes, a portion at a time: flat in memory, and nothing is held between two portions."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from review.exports.chunks import Pace
from review.exports.formats import writer
from review.exports.kinds import KINDS
from review.exports.wanted import Wanted


@dataclass(frozen=True)
class Portion:
    """The next bytes; rows: in them or still to come of what was read; looked_at and left_out as in a chunk."""

    data: bytes
    rows: int = 0
    looked_at: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def portions(wanted: Wanted) -> Iterator[Portion]:
    """Each is read in a short transaction of its own, by whichever thread asks for it.

    What holds while others write: every run (or judgement) that matches from beginning to end is there once, as it
    was when its portion was read; none that was made after the beginning is.
    """
    kind, pace = KINDS[wanted.kind], Pace()
    out = writer(wanted.format, kind.columns(wanted))
    yield Portion(out.begin())
    for chunk in (kind.lines if wanted.format == "jsonl" else kind.table)(wanted, pace):
        data = out.rows(chunk.rows)
        pace.told(out.taken)
        yield Portion(data, len(chunk.rows), chunk.looked_at, chunk.left_out)
    yield Portion(out.end())


def total(wanted: Wanted) -> int:
    """How many runs or judgements will be looked at, as of now."""
    count: int = KINDS[wanted.kind].candidates(wanted).count()
    return count
