"""What the versions of a prompt achieved: each by itself, and two of them side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils.translation import gettext as _

from generation.durations import took
from generation.models import Prompt, PromptVersion
from generation.money import dollars
from learning import achieved, facts
from learning.statistics.proportions import Rate
from review.words import label

VERSIONS_SHOWN = 50
SIGNALS = (
    "wrong_physical_dimensions", "missing_spec", "wrong_information", "bad_format", "information_present_low",
)  # fmt: skip


@dataclass(frozen=True)
class Of:
    """One version with its sums."""

    version: PromptVersion
    is_live: bool
    sums: dict[str, int]

    @property
    def runs(self) -> int:
        return self.sums["runs"]

    @property
    def accepted(self) -> Rate:
        return Rate(self.sums["accepted"], self.sums["first"])

    @property
    def passed(self) -> Rate:
        return Rate(self.sums["passed"], self.sums["judged"])

    @property
    def unjudged(self) -> Rate:
        return Rate(self.sums["unavailable"], self.sums["judged"])

    @property
    def tokens(self) -> str:
        return self.mean(
            lambda sums: sums["input_tokens"] + sums["output_tokens"], lambda mean: f"{round(mean):,}"
        )

    @property
    def cost(self) -> str:
        return self.mean(lambda sums: sums["cost"] / 1_000_000, _money)

    @property
    def time(self) -> str:
        return self.mean(lambda sums: sums["duration_ms"], lambda mean: took(timedelta(milliseconds=mean)))

    def mean(self, of: Callable[[dict[str, int]], float], words: Callable[[float], str]) -> str:
        """Per run."""
        return words(of(self.sums) / self.runs) if self.runs else "–"


def _money(mean: float) -> str:
    return dollars(Decimal(mean).quantize(Decimal("0.0001")))


@dataclass(frozen=True)
class Pair:
    """One share of both versions, and what lies between them."""

    label: str
    before: Rate
    after: Rate

    @property
    def is_known(self) -> bool:
        return bool(self.before.of and self.after.of)

    @property
    def low(self) -> float:
        """Points by which the later one differs, at least."""
        return self.after.minus(self.before)[0]

    @property
    def high(self) -> float:
        return self.after.minus(self.before)[1]

    @property
    def chance(self) -> bool:
        """Whether the difference may be none."""
        return self.low <= 0 <= self.high

    @property
    def between(self) -> str:
        return _("%(low)+d to %(high)+d points") % {"low": round(self.low), "high": round(self.high)}


@dataclass(frozen=True)
class AchievedPage:
    prompt: Prompt
    rows: list[Of]
    before: Of | None
    after: Of | None
    as_of: datetime | None

    @property
    def pairs(self) -> list[Pair]:
        before, after = self.before, self.after
        if before is None or after is None:
            return []
        found = [
            Pair(_("First-pass acceptance"), before.accepted, after.accepted),
            Pair(_("Passed by the judge at once"), before.passed, after.passed),
            Pair(
                _("The judge could not judge"),
                *(Rate(o.sums["unavailable"], o.sums["judged"]) for o in (before, after)),
            ),
        ]
        for signal in SIGNALS:
            rates = (Rate(one.sums[signal], one.sums["first"]) for one in (before, after))
            found.append(Pair(label(self.prompt.flow, signal), *rates))
        return found


def achieved_page(prompt: Prompt, before: str = "", after: str = "") -> AchievedPage:
    """before, after: numbers of versions; else the live one beside the other one with most runs. Three queries."""
    versions = list(prompt.versions.select_related("author").order_by("-number")[:VERSIONS_SHOWN])
    sums = achieved.of([version.pk for version in versions])
    rows = [Of(version, version.pk == prompt.live_id, sums[version.pk]) for version in versions]
    by_number = {str(row.version.number): row for row in rows}
    live = next((row for row in rows if row.is_live), None)
    right = by_number.get(after) or live or next(iter(rows), None)
    others = [row for row in rows if row is not right]
    left = by_number.get(before) or max(others, key=lambda row: row.runs, default=None)
    return AchievedPage(prompt, rows, left, right, facts.as_of())
