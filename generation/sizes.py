"""How large a prompt is, which part of it the provider may cache, and how much of it learning put in."""

from collections.abc import Iterable
from dataclasses import dataclass

from generation.assembly import VOLATILE, Assembled
from generation.placeholders import PLACEHOLDER, Segment, place_of, text_of
from generation.tokens import tokens_about, tokens_at_most


@dataclass(frozen=True)
class Bar:
    """One part of a prompt on a line that is 100 long."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True)
class Sizes:
    """Tokens, by the rule of thumb. shared: of the user prompt, up to what is the run's own; the system prompt and
    this part are cached. injected: by learning, part of the others. at_most: of the whole, whatever the tokenizer.
    """

    system: int
    shared: int
    own: int
    injected: int
    at_most: int

    @property
    def whole(self) -> int:
        return self.system + self.shared + self.own

    @property
    def unguided(self) -> int:
        return max(0, self.whole - self.injected)

    @property
    def cached(self) -> int:
        return self.system + self.shared

    @property
    def cached_percent(self) -> int:
        return round(100 * self.cached / self.whole) if self.whole else 0

    @property
    def bars(self) -> list[Bar]:
        found, x = [], 0.0
        for kind, tokens in (("system", self.system), ("shared", self.shared), ("own", self.own)):
            width = round(100 * tokens / self.whole, 1) if self.whole else 0
            found.append(Bar(kind, round(x, 1), width))
            x += width
        return found


@dataclass(frozen=True)
class Cut:
    """Where the cached part of the user prompt ends: before this placeholder."""

    placeholder: str
    line: int
    column: int


def measure(assembled: Assembled) -> Sizes:
    """The run's own part begins at the first of its placeholders that is filled; where none is, at the first."""
    user = assembled.user
    own = [place for place, segment in enumerate(user) if segment.placeholder in VOLATILE]
    at = next((place for place in own if user[place].text), own[0] if own else len(user))
    return Sizes(
        system=tokens_about(assembled.system_text),
        shared=tokens_about(text_of(user[:at])),
        own=tokens_about(text_of(user[at:])),
        injected=_injected((*assembled.system, *user)),
        at_most=tokens_at_most(assembled.system_text) + tokens_at_most(assembled.user_text),
    )


def cut_of(user: str) -> Cut | None:
    """Where a template stops to be the same for all runs; None where it is the same to its end."""
    for found in PLACEHOLDER.finditer(user):
        if found.group(1) in VOLATILE:
            return Cut(found.group(1), *place_of(user, found.start()))
    return None


def _injected(segments: Iterable[Segment]) -> int:
    return sum(tokens_about(segment.text) for segment in segments if segment.fragment)
