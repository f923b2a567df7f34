"""The influence map as one table: what raises which words in which placeholder, and where they reach no prompt."""

from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from generation.flows import FLOWS, label_of
from generation.flows import flow as flow_named
from generation.models import Prompt
from generation.placeholders import own
from learning.annotate import cause_of
from learning.influence import Line, table
from learning.models import Guidance
from learning.studio.frame import allowed, framed
from learning.triggers import THRESHOLDS
from review.words import label

NAV = "admin:learning_guidance_changelist"


@dataclass(frozen=True)
class Dead:
    """Why no prompt ever holds the words, and the prompt to mend."""

    why: str
    prompt_id: int | None = None


@dataclass(frozen=True)
class Entry:
    """One line of the map with its row; line is None where it left the map, row where it has none yet."""

    flow: str
    line: Line | None
    row: Guidance | None
    versions: int
    dead: Dead | None

    @property
    def stage(self) -> str:
        return self.line.stage if self.line else self.row.key.partition(".")[2] if self.row else ""

    @property
    def stage_label(self) -> str:
        stages = flow_named(self.flow).stages
        return stages[self.stage].label if self.stage in stages else self.stage

    @property
    def placeholder(self) -> str:
        return own(self.stage)

    @property
    def cause(self) -> str:
        """The signal in the flow's words; two lines of one signal tell by which of them they speak."""
        return cause_of(self.flow, _cause(self.line)) if self.line else _("Left the map")

    @property
    def of_ten(self) -> int | None:
        """How many of ten the shipped trigger takes; None where only a run's own review speaks."""
        return THRESHOLDS[self.line.trigger][1] if self.line and self.line.trigger else None

    @property
    def trigger(self) -> str:
        return label(self.flow, self.line.trigger) if self.line and self.line.trigger else ""

    @property
    def text(self) -> str:
        return self.row.text if self.row else self.line.text if self.line else ""

    @property
    def enabled(self) -> bool:
        return self.row is None or self.row.enabled

    @property
    def is_shipped(self) -> bool:
        return self.line is not None and self.text == self.line.text


def _cause(line: Line) -> str:
    return line.trigger.removesuffix("_trigger") or line.signal


def entries(flow: str) -> list[Entry]:
    """All lines of one flow in the order of the map, then rows whose line left it. Two queries."""
    rows = {
        row.key: row
        for row in Guidance.objects.filter(flow=flow)
        .select_related("changed_by", "live")
        .annotate(kept=Count("versions"))
    }
    live = {prompt.stage: prompt for prompt in Prompt.objects.filter(flow=flow).select_related("live")}
    found = [
        Entry(
            flow, line, row := rows.pop(line.key, None), getattr(row, "kept", 0), dead(line, live.get(line.stage))
        )
        for line in table(flow)
    ]
    gone = Dead(_("No line of the influence map has this key any more."))
    return found + [Entry(flow, None, row, getattr(row, "kept", 0), gone) for row in rows.values()]


def dead(line: Line, prompt: Prompt | None) -> Dead | None:
    """Why the line's words reach no prompt; None where they do."""
    if prompt is None or prompt.live is None:
        return Dead(_("This stage has no live prompt."))
    name = f"<<{own(line.stage)}>>"
    if name in prompt.live.system + prompt.live.user:
        return None
    words = {"number": prompt.live.number, "name": name}
    return Dead(_("Live version %(number)d of the prompt does not hold %(name)s.") % words, prompt.pk)


@dataclass(frozen=True)
class Page:
    flow: str
    entries: list[Entry]

    @property
    def flows(self) -> list[tuple[str, str]]:
        return [(name, label_of(name)) for name in FLOWS]

    @property
    def groups(self) -> list[tuple[str, list[Entry]]]:
        """By what makes them speak, in the order in which the map first names it."""
        order = list(dict.fromkeys(entry.cause for entry in self.entries))
        by_cause = sorted(self.entries, key=lambda entry: order.index(entry.cause))
        return [(cause, list(same)) for cause, same in groupby(by_cause, key=lambda entry: entry.cause)]

    @property
    def dead(self) -> int:
        return sum(entry.dead is not None for entry in self.entries)

    @property
    def off(self) -> int:
        return sum(not entry.enabled for entry in self.entries)


@require_safe
@allowed("learning.view_guidance")
def influence(request: HttpRequest) -> HttpResponse:
    flow = request.GET.get("flow") or next(iter(FLOWS))
    if flow not in FLOWS:
        raise Http404
    return framed(request, "influence/table.html", {"page": Page(flow, entries(flow))}, under=reverse(NAV))
