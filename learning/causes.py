"""Why a line of the influence map speaks, or that it does not: the run's own review goes before the window."""

from dataclasses import dataclass

from learning.influence import Line
from learning.own_review import OwnReview
from learning.triggers import Triggers


@dataclass(frozen=True)
class Cause:
    """reason: the own review's signal, or the window's trigger. words: what people wrote, as they wrote it."""

    reason: str
    evidence: tuple[int, ...]
    own: bool
    words: tuple[str, ...] = ()


def cause(line: Line, own: OwnReview | None, triggers: Triggers | None) -> Cause | None:
    """What makes the line speak. An own review that speaks on the signal decides alone, by yes and by no."""
    if own is not None:
        words = _words(line, own)
        if words:
            return Cause(line.signal, own.evidence, own=True, words=words)
        said = own.signals.get(line.signal)
        if said is not None:
            return Cause(line.signal, own.evidence, own=True) if said is line.raised_by else None
    if triggers is None or not line.trigger or not triggers[line.trigger].fired:
        return None
    trigger = triggers[line.trigger]
    repeated = tuple(field.name for field in trigger.fields if field.fired)
    return Cause(trigger.name, trigger.evidence, own=False, words=repeated)


def _words(line: Line, own: OwnReview) -> tuple[str, ...]:
    written = {"missing_spec": own.names, "notes": (own.notes,), "subcategory": (own.subcategory,)}
    return tuple(words for words in written.get(line.signal, ()) if words)
