"""What the pages of proposals show: the list, and one with figures, evidence and the prompt that would be."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from generation import prompts
from generation.flows import FLOWS, label_of
from generation.flows import flow as flow_named
from generation.line_diff import Row, rows
from generation.models import PromptVersion, Run, Subcategory
from learning.models import Proposal, ProposalDecision
from learning.names import Synonyms, key_of
from learning.rules import rules
from learning.strips import Cell, Strip
from learning.studio.proposals.placing import Place, placed, places
from learning.studio.proposals.rules import LONGEST_KEY, MISSING
from learning.studio.proposals.texts import sentence
from learning.window import RAISED_BY, SIZE
from review.models import ReviewEvent
from review.words import label, label_of_missing

DECIDED_AT_ONCE = 50
MOST_EVIDENCE = 20  # reviews on the page; the strip leads to every run


def stage_label(flow: str, stage: str) -> str:
    stages = flow_named(flow).stages if flow in FLOWS else {}
    return str(stages[stage].label) if stage in stages else stage


@dataclass(frozen=True)
class Entry:
    """One proposal in a list."""

    proposal: Proposal
    names: dict[int, str]
    decision: ProposalDecision | None = None

    @property
    def stage(self) -> str:
        return stage_label(self.proposal.flow, self.proposal.stage)

    @property
    def flow(self) -> str:
        return str(label_of(self.proposal.flow))

    @property
    def title(self) -> str:
        """The signal in the flow's words, or the field that is missing."""
        flow, field = self.proposal.flow, self.proposal.field
        return label_of_missing(flow, field) if field else label(flow, self.proposal.signal)

    @property
    def sentence(self) -> str:
        return sentence(self.proposal, self.names)


@dataclass(frozen=True)
class Listed:
    """open: by the labels of their flows. older: the id before which more decided ones stand."""

    open: list[tuple[str, list[Entry]]]
    decided: list[Entry]
    waiting: int
    older: int | None


def listed(before: int | None = None) -> Listed:
    """All open ones (at most one is open per subject) and the decided ones, the newest first, fifty at once."""
    waiting = list(Proposal.objects.open().select_related("subcategory"))
    order = list(FLOWS)
    waiting.sort(key=lambda one: (order.index(one.flow) if one.flow in order else len(order), one.flow, -one.pk))
    decided = Proposal.objects.exclude(state=Proposal.State.OPEN).select_related("subcategory").order_by("-id")
    page = list((decided.filter(pk__lt=before) if before else decided)[: DECIDED_AT_ONCE + 1])
    shown, older = page[:DECIDED_AT_ONCE], page[DECIDED_AT_ONCE - 1].pk if len(page) > DECIDED_AT_ONCE else None
    names = names_in([*waiting, *shown])
    last = {one.proposal_id: one for one in _decisions(shown)}
    groups = groupby((Entry(one, names) for one in waiting), key=lambda entry: entry.flow)
    return Listed(
        [(flow, list(entries)) for flow, entries in groups],
        [Entry(one, names, last.get(one.pk)) for one in shown],
        len(waiting),
        older,
    )


def _decisions(of: Iterable[Proposal]) -> QuerySet[ProposalDecision]:
    found = ProposalDecision.objects.filter(proposal__in=[one.pk for one in of])
    return found.select_related("by", "version__prompt").order_by("id")


def names_in(proposals: Iterable[Proposal]) -> dict[int, str]:
    """Subcategories in their figures, by id. One query."""
    ids = {figure["subcategory"] for proposal in proposals for figure in proposal.figures}
    return dict(Subcategory.objects.filter(pk__in=ids).values_list("pk", "name"))


def waiting_by_flow() -> dict[str, int]:
    """How many are open, by the labels of their flows."""
    counts = Proposal.objects.open().order_by("flow").values_list("flow").annotate(Count("pk"))
    return {str(label_of(flow)): count for flow, count in counts}


@dataclass(frozen=True)
class Figure:
    """One subcategory's runs as they were counted, drawn as a strip."""

    name: str
    slug: str
    strip: Strip

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """Ten cells a row, as everywhere."""
        cells = self.strip.cells
        return [cells[start : start + SIZE] for start in range(0, len(cells), SIZE)]


@dataclass(frozen=True)
class Change:
    """The live version, and what would become of its two texts."""

    live: PromptVersion
    system: list[Row]
    user: list[Row]


def change(live: PromptVersion, stage: str, text: str, place: str) -> Change:
    texts = placed(live, stage, text, place) if text.strip() else None
    if texts is None:
        return Change(live, [], [])
    return Change(live, rows(live.system, texts.system), rows(live.user, texts.user))


@dataclass(frozen=True)
class Evidence:
    """One review behind it. says: what it raised, as its reviewer put it. gone: what became of it since."""

    event: ReviewEvent
    says: str
    gone: str = ""


@dataclass(frozen=True)
class Page:
    entry: Entry
    live: PromptVersion
    decision: ProposalDecision | None

    @property
    def proposal(self) -> Proposal:
        return self.entry.proposal

    @cached_property
    def places(self) -> list[Place]:
        return places(self.live, self.proposal.stage)

    @cached_property
    def figures(self) -> list[Figure]:
        shown = self.proposal.figures
        runs = Run.objects.in_bulk([UUID(run) for figure in shown for run, _raised in figure["cells"]])
        slugs = dict(
            Subcategory.objects.filter(pk__in=[f["subcategory"] for f in shown]).values_list("pk", "slug")
        )
        return [self._figure(figure, runs, slugs) for figure in shown]

    def _figure(self, figure: dict[str, Any], runs: dict[UUID, Run], slugs: dict[int, str]) -> Figure:
        cells = tuple(
            Cell("raised" if raised else "clear", UUID(run), str(known), known.last_reviewed_at)
            for run, raised in figure["cells"]
            if (known := runs.get(UUID(run)))
        )
        name = self.entry.names.get(figure["subcategory"], "?")
        strip = Strip(self.proposal.signal, name, True, figure["count"], figure["threshold"], figure["of"], cells)
        return Figure(name, slugs.get(figure["subcategory"], ""), strip)

    @cached_property
    def evidence(self) -> list[Evidence]:
        """The newest reviews behind it."""
        ids = sorted(self.proposal.events)[-MOST_EVIDENCE:]
        events = (
            ReviewEvent.objects.filter(pk__in=ids).select_related("run__subcategory", "reviewer").order_by("-id")
        )
        known = rules(self.proposal.flow, ()).synonyms
        taken_back = dict(ReviewEvent.objects.filter(undoes__in=ids).order_by("id").values_list("undoes", "kind"))
        return [
            Evidence(event, said(self.proposal, event, known), _gone(taken_back.get(event.pk))) for event in events
        ]

    @property
    def more_evidence(self) -> int:
        return len(self.proposal.events) - len(self.evidence)


def _gone(kind: str | None) -> str:
    if kind is None:
        return ""
    return _("taken back since") if kind == ReviewEvent.Kind.UNDONE else _("left out of learning since")


def said(proposal: Proposal, event: ReviewEvent, known: Synonyms) -> str:
    """What the review raised, in the flow's words; a field as it was written."""
    if proposal.signal != MISSING:
        signal, by = RAISED_BY[proposal.signal]
        return f"{label(proposal.flow, signal)}: {_('yes') if by else _('no')}"
    written = [name for name in event.missing_spec if key_of(name, known)[:LONGEST_KEY] == proposal.field_key]
    return _("missing: %s") % ", ".join(written or [proposal.field])


def page(proposal: Proposal) -> Page:
    """Raises BadInput where its flow or stage is not installed any more."""
    decision = _decisions([proposal]).last()
    return Page(
        Entry(proposal, names_in([proposal]), decision), prompts.live(proposal.flow, proposal.stage), decision
    )
