"""Runs in which a judge and a person differ: what it let pass though bad, what it held back though good."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.dateparse import parse_datetime

from generation.flows import FLOWS, label_of
from generation.flows import flow as flow_named
from generation.keyset import behind
from generation.models import Run
from generation.models.run import IN_PROGRESS, WITH_RECORD
from learning import facts
from learning.judging import words
from learning.judging.counting import asks
from learning.judging.page import Judge, chosen, judges_of
from learning.models import JudgingFact
from learning.models.judging import FALSE_FAIL, FALSE_PASS

PAGE = 50
ORDER = ("-reviewed_at", "-id")
KINDS = {"passes": FALSE_PASS, "fails": FALSE_FAIL}
# Of a run that is still to be reviewed nothing is told, not even of its earlier rounds.
OPEN = Run.objects.filter(WITH_RECORD | Q(status__in=IN_PROGRESS), pk=OuterRef("run_id"))


@dataclass(frozen=True)
class Missed:
    """One run, by one criterion of one judgement."""

    run: Run
    fact: JudgingFact
    judge: str

    @property
    def score(self) -> str:
        return "" if self.fact.score is None else f"{self.fact.score / 100:.2f}"


@dataclass(frozen=True)
class MissedPage:
    flow: str
    criterion: str
    said: str
    kind: str  # a key of KINDS
    judge: Judge | None
    rows: list[Missed]
    following: str  # where the next page begins; "": this is the last
    as_of: datetime | None

    @property
    def name(self) -> str:
        return words.criterion(self.criterion)

    @property
    def flow_label(self) -> str:
        return label_of(self.flow)

    @property
    def scored(self) -> bool:
        return any(row.score for row in self.rows)

    @property
    def back(self) -> str:
        return urlencode({"flow": self.flow} | (self.judge.query if self.judge else {}))

    @property
    def query(self) -> str:
        return f"{self.back}&{urlencode({'criterion': self.criterion})}"


def read(given: Mapping[str, str], size: int | None = None) -> MissedPage:
    """given: the address's flow, criterion, of, version, model, after; unknown values are as if absent."""
    flow = given.get("flow", "")
    flow = flow if flow in FLOWS else next(iter(FLOWS))
    judge_kind = flow_named(flow).judge_kind
    known = {ask.criterion: ask.aspect for ask in asks(judge_kind)}
    criterion = given.get("criterion", "")
    criterion = criterion if criterion in known else "verdict"
    kind = given.get("of", "")
    kind = kind if kind in KINDS else "passes"
    judges = judges_of(flow, judge_kind)
    judge = chosen(judges, given)
    found = JudgingFact.objects.filter(KINDS[kind], flow=flow, kind=judge_kind, criterion=criterion)
    if judge is not None:
        found = found.filter(version_id=judge.by.version_id, model=judge.by.model)
    size = size or PAGE
    page = list(_after(found, given.get("after", ""))[: size + 1])
    shown = page[:size]
    following = f"{shown[-1].reviewed_at.isoformat()}_{shown[-1].pk}" if len(page) > size else ""
    said = words.beside(flow, known[criterion])
    return MissedPage(flow, criterion, said, kind, judge, _rows(shown, judges), following, facts.as_of())


def _after(found: QuerySet[JudgingFact], key: str) -> QuerySet[JudgingFact]:
    """Newest first, behind the key; one that is none is as if absent."""
    found = found.filter(~Exists(OPEN)).order_by(*ORDER)
    at, _line, pk = key.rpartition("_")
    try:
        moment = parse_datetime(at)
    except ValueError:
        return found
    if moment is None or moment.tzinfo is None or not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        return found
    return found.filter(behind(ORDER, (moment, int(pk))))


def _rows(shown: list[JudgingFact], judges: list[Judge]) -> list[Missed]:
    runs = Run.objects.select_related("subcategory").in_bulk([one.run_id for one in shown])
    names = {one.by: one.name for one in judges}
    by = {(whose.version_id, whose.model): name for whose, name in names.items()}
    return [
        Missed(runs[one.run_id], one, by.get((one.version_id, one.model), ""))
        for one in shown
        if one.run_id in runs
    ]
