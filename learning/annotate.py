"""A prompt with its reasons: its own words, what was filled in, and each injected text with its cause."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from generation.guidance import Fragment
from generation.ids import short
from generation.models import Call
from generation.placeholders import Segment
from learning.injections import bound
from learning.strips import TRIGGERS
from review.models import ReviewEvent
from review.words import label

State = Mapping[str, Any]  # `Triggers.as_json`
LONG = 600  # characters that a filled value may take before it is folded away
KEPT = 3  # lines of the prompt's own words that stay in view before and after what is folded
# Causes that are no signal of the form; what a flow calls those stands in `review.words`.
OTHERS: dict[str, Promise] = {
    "subcategory": gettext_lazy("Subcategory corrected"),
    "notes": gettext_lazy("Notes"),
    "example": gettext_lazy("Example"),
}
ICONS = {
    "wrong_physical_dimensions": "i-ruler",
    "missing_spec": "i-plus",
    "wrong_information": "i-alert",
    "bad_format": "i-minus",
    "information_present_low": "i-question",
    "notes": "i-person",
    "example": "i-machine",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of the prompt's own text, or of a value that was filled into it."""

    text: str
    placeholder: str = ""

    @property
    def is_long(self) -> bool:
        return bool(self.placeholder) and len(self.text) > LONG

    @property
    def opening(self) -> str:
        return " ".join(self.text[:200].split())[:90]

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1


@dataclass(frozen=True)
class Part:
    """Either a plain part (pieces; folded: out of sight until asked for) or an injected one with its cause."""

    pieces: tuple[Piece, ...] = ()
    folded: bool = False
    text: str = ""
    tone: str = ""  # attention: of the window; person: of the run's own review; machine: an example
    icon: str = ""
    cause: str = ""
    count: str = ""
    reviews: tuple[ReviewEvent, ...] = ()
    example: UUID | None = None

    @property
    def is_injected(self) -> bool:
        return bool(self.tone)

    @property
    def lines(self) -> int:
        return sum(piece.text.count("\n") for piece in self.pieces) + 1

    @property
    def example_id(self) -> str:
        return short(self.example) if self.example else ""


@dataclass(frozen=True)
class Annotated:
    """One prompt, as parts in their order.

    injected: characters that learning put in, examples aside; tokens: what they make at most.
    """

    system: tuple[Part, ...] = ()
    user: tuple[Part, ...] = ()
    injected: int = 0
    tokens: int = 0
    fragments: int = 0

    @property
    def system_speaks(self) -> bool:
        """Whether learning put anything into the system prompt; else it is folded as a whole."""
        return any(part.is_injected for part in self.system)

    @property
    def system_lines(self) -> int:
        return sum(part.lines for part in self.system)


def cause_of(flow: str, reason: str) -> str:
    """A signal, a trigger or another cause, in the flow's words."""
    return str(OTHERS[reason]) if reason in OTHERS else label(flow, reason)


def annotate(
    flow: str,
    system: Sequence[Segment],
    user: Sequence[Segment],
    state: State | None,
    known: Mapping[int, ReviewEvent],
) -> Annotated:
    """state: the triggers as JSON, as they stand or as a run found them. known: the review events that fragments
    name as evidence, by id (`evidence_of` reads them).
    """
    fragments = [segment.fragment for segment in (*system, *user) if segment.fragment]
    guiding = [fragment for fragment in fragments if fragment.reason != "example"]
    return Annotated(
        system=_parts(flow, system, state, known),
        user=_parts(flow, user, state, known),
        injected=sum(len(fragment.text) for fragment in guiding),
        tokens=bound(guiding),
        fragments=len(fragments),
    )


def evidence_of(fragments: Iterable[Fragment]) -> dict[int, ReviewEvent]:
    """The review events behind these fragments. One query."""
    ids = {event for fragment in fragments for event in fragment.evidence}
    events = ReviewEvent.objects.settled().filter(pk__in=ids).select_related("run", "reviewer")
    return {event.pk: event for event in events}


def segments_of(call: Call) -> tuple[list[Segment], list[Segment]]:
    """A stored call's two texts cut at its injections, which stand in them word for word."""
    fragments = [
        Fragment(row.placeholder, row.text, row.reason, row.guidance_key, tuple(row.evidence))
        for row in call.injections.all()
    ]
    system, rest = _cut(call.system, fragments)
    user, _lost = _cut(call.user, rest)
    return system, user


def _cut(text: str, fragments: Sequence[Fragment]) -> tuple[list[Segment], list[Fragment]]:
    """The text around those fragments that it holds, and the fragments that it does not."""
    segments: list[Segment] = []
    elsewhere: list[Fragment] = []
    end = 0
    for start, fragment in sorted(((text.find(f.text), f) for f in fragments), key=lambda found: found[0]):
        if start < end:
            elsewhere.append(fragment)
            continue
        segments += [Segment(text[end:start]), Segment(fragment.text, fragment.placeholder, fragment)]
        end = start + len(fragment.text)
    return [*segments, Segment(text[end:])], elsewhere


def _parts(
    flow: str, segments: Sequence[Segment], state: State | None, known: Mapping[int, ReviewEvent]
) -> tuple[Part, ...]:
    parts: list[Part] = []
    plain: list[Piece] = []

    def close() -> None:
        if any(piece.text.strip() for piece in plain):
            parts.extend(_folded(_trimmed(plain)))
        plain.clear()

    for segment in segments:
        if segment.fragment is None:
            plain.append(Piece(segment.text, segment.placeholder))
        else:
            close()
            parts.append(_injected(flow, segment.fragment, state, known))
    close()
    return tuple(parts)


def _trimmed(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Without the empty lines around what is injected: the rule at its left parts them already."""
    kept = [piece for piece in pieces if piece.text]
    kept[0] = Piece(kept[0].text.lstrip("\n"), kept[0].placeholder)
    kept[-1] = Piece(kept[-1].text.rstrip(), kept[-1].placeholder)
    return tuple(kept)


def _folded(pieces: Sequence[Piece]) -> list[Part]:
    """A long part as its first lines, what is folded, and its last lines; a short one as it is."""
    rows = _rows(pieces)
    if len(rows) <= 2 * KEPT + 2:
        return [Part(pieces=tuple(pieces))]
    cut = [rows[:KEPT], rows[KEPT:-KEPT], rows[-KEPT:]]
    return [
        Part(pieces=_trimmed([piece for row in part for piece in row]), folded=index == 1)
        for index, part in enumerate(cut)
        if any(piece.text.strip() for row in part for piece in row)
    ]


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Line by line, each with its line end. A long value, folded by itself, counts as one."""
    rows: list[list[Piece]] = [[]]
    for piece in pieces:
        for text in [piece.text] if piece.is_long else piece.text.splitlines(keepends=True):
            rows[-1].append(Piece(text, piece.placeholder))
            if text.endswith("\n"):
                rows.append([])
    return [row for row in rows if row]


def _injected(flow: str, fragment: Fragment, state: State | None, known: Mapping[int, ReviewEvent]) -> Part:
    signal = fragment.reason.removesuffix("_trigger")
    of_window = fragment.reason in TRIGGERS
    tone = "machine" if fragment.reason == "example" else "attention" if of_window else "person"
    return Part(
        text=fragment.text,
        tone=tone,
        icon=ICONS.get(signal, "i-person"),
        cause=cause_of(flow, fragment.reason),
        count=_count(fragment, state, of_window),
        reviews=tuple(known[event] for event in fragment.evidence if event in known),
        example=fragment.run,
    )


def _count(fragment: Fragment, state: State | None, of_window: bool) -> str:
    """How strong the cause is, as the strips count it."""
    if fragment.reason == "example":
        return gettext("an approved record, redacted")
    if not of_window:
        return gettext("this run’s own review")
    found = (state or {}).get("triggers", {}).get(fragment.reason)
    if state is None or found is None:
        return ""
    if found.get("by_hand"):
        return gettext("set by hand")
    count = found.get("count", max((missed["count"] for missed in found.get("fields", ())), default=0))
    return gettext("%(count)d of %(reviewed)d runs") % {"count": count, "reviewed": state["window"]["reviewed"]}
