"""The page of judges: a flow's judge beside people, criterion by criterion, version by version."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import urlencode

from generation.flows import FLOWS, label_of
from generation.flows import flow as flow_named
from learning import facts
from learning.judging import words
from learning.judging.agreement import Agreement
from learning.judging.counting import Ask, By, Counts, added, asks, sums
from learning.judging.rubric import RubricPage, rubric_page
from learning.models import Judging


@dataclass(frozen=True)
class Line:
    """One criterion, or one judge's verdict."""

    name: str
    said: str  # what people say of it
    agreement: Agreement
    criterion: str = ""
    query: str = ""  # of the page of its runs, or of this page with this judge


@dataclass(frozen=True)
class Judge:
    """A version of the judge's prompt with a model; `counts` by criterion."""

    by: By
    number: int | None
    counts: Mapping[str, Counts]

    @property
    def name(self) -> str:
        return words.who(self.by, self.number)

    @property
    def query(self) -> dict[str, str]:
        return {"version": str(self.number or 0), "model": self.by.model}


@dataclass(frozen=True)
class Page:
    """judge: the one in view; None: all of them together."""

    flow: str
    flows: list[tuple[str, str]]
    asks: list[Ask]
    judges: list[Judge]
    judge: Judge | None
    rubric: RubricPage | None
    as_of: datetime | None

    @property
    def is_empty(self) -> bool:
        return not self.judges

    @cached_property
    def lines(self) -> list[Line]:
        """Every criterion that anything was counted of, the verdict first."""
        seen = [self.judge] if self.judge else self.judges
        return [
            Line(
                words.criterion(ask.criterion),
                words.beside(self.flow, ask.aspect),
                Agreement(counts),
                ask.criterion,
                self._query(criterion=ask.criterion),
            )
            for ask in self.asks
            if any(
                (
                    counts := added(one.counts[ask.criterion] for one in seen if ask.criterion in one.counts)
                ).values()
            )
        ]

    @cached_property
    def verdict(self) -> Agreement | None:
        return next((line.agreement for line in self.lines if line.criterion == "verdict"), None)

    @cached_property
    def by_judge(self) -> list[Line]:
        """Each judge's verdict by itself, the newest version first."""
        return [
            Line(
                one.name,
                "",
                Agreement(one.counts["verdict"]),
                "verdict",
                urlencode({"flow": self.flow} | one.query),
            )
            for one in self.judges
            if "verdict" in one.counts
        ]

    @property
    def not_compared(self) -> list[str]:
        """Dimensions that no signal of a review speaks of."""
        return [] if self.rubric is None else [words.criterion(name) for name in self.rubric.not_compared]

    @property
    def query(self) -> str:
        return self._query()

    def _query(self, **more: str) -> str:
        return urlencode({"flow": self.flow} | (self.judge.query if self.judge else {}) | more)


def read(given: Mapping[str, str]) -> Page:
    """given: the address's flow, version, model, institution, cost; unknown values are as if absent.

    As many queries for any history: the rows read are sums, one per flow, criterion, version and model.
    """
    counted = set(Judging.objects.values_list("flow", flat=True).distinct())
    judged = [name for name in FLOWS if name in counted]
    name = given.get("flow", "")
    flow = name if name in FLOWS else next(iter(judged or FLOWS))
    kind = flow_named(flow).judge_kind
    found = judges_of(flow, kind)
    judge = chosen(found, given)
    listed = [name for name in FLOWS if name in counted or name == flow]
    return Page(
        flow,
        [(name, label_of(name)) for name in listed],
        asks(kind),
        found,
        judge,
        rubric_page(flow, judge.by if judge else None, given) if kind == "rubric" and found else None,
        facts.as_of(),
    )


def judges_of(flow: str, kind: str) -> list[Judge]:
    """Who judged, the newest version of the prompt first."""
    found = sums(flow, kind)
    numbers = words.numbers(found)
    made = [Judge(by, numbers.get(by.version_id), counts) for by, counts in found.items()]
    return sorted(made, key=lambda one: (-(one.number or 0), one.by.model))


def chosen(found: list[Judge], given: Mapping[str, str]) -> Judge | None:
    """The judge that an address names."""
    wanted = {"version": given.get("version", ""), "model": given.get("model", "")}
    return next((one for one in found if one.query == wanted), None)
