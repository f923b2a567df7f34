"""/learning/<slug>/ : the ten runs behind the triggers, and the prompt as it would be sent now."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from generation.assembly import Preview, preview
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.flows.base import Stage
from generation.models import Subcategory
from learning.annotate import Annotated, annotate, evidence_of
from learning.insights import Point, Share, Stats, acceptance_series, stats
from learning.models import Switch
from learning.strips import Strip, matrix
from learning.switches import speaks_of
from learning.tables import csv_response, wants_csv
from learning.triggers import Triggers, decide
from learning.uplift.page import Evidence, uplift_of
from learning.views.switch import may_switch
from learning.window import SIZE, Window, WindowRun, window
from review.exports.columns import columns
from review.models import Decision, Tally
from review.queue import count_waiting
from review.views.access import Request, reader_required
from review.words import label

FIRST_STAGE = "extraction"  # the one that most guidance speaks to, where a flow has it


# The signals as the table of shares lists them.
FLAGS = (
    "wrong_physical_dimensions",
    "missing_spec",
    "wrong_information",
    "bad_format",
    "information_present_low",
    "information_present",
)


COLUMNS = columns(
    run="text", title="text", reviewed_at="time", first_decision="text", last_decision="text",
    wrong_physical_dimensions="boolean", missing_spec="texts", wrong_information="boolean", bad_format="boolean",
    information_present="boolean",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One signal's share of the window and of all reviewed runs."""

    label: str
    window: Share
    all_time: Share


@dataclass(frozen=True)
class Prompt:
    """One stage's prompt with its reasons, and what of the budget is used."""

    stage: Stage
    preview: Preview
    annotated: Annotated
    budget: int  # characters
    token_budget: int


@dataclass(frozen=True)
class Page:
    subcategory: Subcategory
    flow: str
    flows: list[str]  # that have anything here, and the one in view
    window: Window
    triggers: Triggers
    rows: list[Strip]
    reviewers: dict[str, User]
    stats: Stats
    series: list[Point]
    stages: list[Stage]
    prompt: Prompt
    switches: list[Switch]
    waiting: int
    evidence: Evidence

    @property
    def runs(self) -> list[tuple[WindowRun, User | None]]:
        return [(run, self.reviewers.get(run.reviewer)) for run in self.window.runs]

    @property
    def absent(self) -> range:
        return range(SIZE - self.window.reviewed)

    @property
    def reviewed(self) -> int:
        return self.stats.reviewed

    @property
    def acceptance(self) -> int | None:
        exact = self.stats.accepted.percent
        return None if exact is None else round(exact)

    @property
    def approved_first(self) -> int:
        return sum(run.decision == Decision.APPROVE for run in self.window.runs)

    @property
    def series_newest_first(self) -> list[Point]:
        return self.series[::-1]

    @property
    def shares(self) -> list[Row]:
        return [Row(self._named(flag), self.stats.window[flag], self.stats.all_time[flag]) for flag in FLAGS]

    def _named(self, flag: str) -> str:
        """Here a run counts whatever field was missed, where a strip shows one field."""
        name = label(self.flow, flag)
        return _("%s, any") % name if flag == "missing_spec" else name


def stage_named(flow: str, name: str) -> Stage:
    """The stage of that name; else the one that most guidance speaks to, else the flow's first."""
    stages = flow_named(flow).stages
    return stages.get(name) or stages.get(FIRST_STAGE) or next(iter(stages.values()))


def prompt_now(flow: str, stage: Stage, subcategory: Subcategory, triggers: Triggers) -> Prompt:
    """What would be sent; makes no call."""
    found = preview(flow=flow, stage=stage.name, subcategory=subcategory)
    annotated = annotate(
        flow,
        found.assembled.system,
        found.assembled.user,
        triggers.as_json(),
        evidence_of(found.assembled.fragments),
    )
    budgets = settings.INJECTION_BUDGETS
    return Prompt(stage, found, annotated, budgets["total"], budgets["tokens"])


def flows_of(subcategory: Subcategory) -> list[str]:
    """The flows that have anything in this subcategory, the most reviewed first."""
    counts = Tally.objects.by_flow("runs", "waiting", subcategory_id=subcategory.pk)
    there = [name for name in FLOWS if name in counts["runs"] or name in counts["waiting"]]
    return sorted(there, key=lambda name: -counts["runs"].get(name, 0))


def read(subcategory: Subcategory, flow: str, flows: list[str], stage: str) -> Page:
    seen = window(flow, subcategory.pk)
    triggers = decide(seen)
    return Page(
        subcategory=subcategory,
        flow=flow,
        flows=flows if flow in flows else [flow, *flows],
        window=seen,
        triggers=triggers,
        rows=matrix(seen, triggers),
        reviewers={
            user.username: user for user in User.objects.filter(username__in=[r.reviewer for r in seen.runs])
        },
        stats=stats(flow, subcategory),
        series=acceptance_series(flow, subcategory),
        stages=list(flow_named(flow).stages.values()),
        prompt=prompt_now(flow, stage_named(flow, stage), subcategory, triggers),
        switches=list(Switch.objects.filter(speaks_of(subcategory.pk)).select_related("by")),
        waiting=count_waiting(flow=flow, subcategory=subcategory),
        evidence=uplift_of(flow, subcategory),
    )


@require_safe
@reader_required
def subcategory(request: Request, slug: str) -> HttpResponse:
    """With htmx: the prompt of one stage alone."""
    found = get_object_or_404(Subcategory, slug=slug)
    flows = flows_of(found)
    flow = request.GET.get("flow") or next(iter(flows or FLOWS))
    if flow not in FLOWS:
        raise Http404
    page = read(found, flow, flows, request.GET.get("stage", ""))
    if wants_csv(request):
        return csv_response(f"{found.slug}-{flow}", COLUMNS, _rows(page))
    context = {"page": page, "may_switch": may_switch(request, "on" if page.switches else "off")}
    template = "learning/_prompt.html" if request.htmx else "learning/detail.html"
    return render(request, template, context)


def _rows(page: Page) -> list[dict[str, Any]]:
    """The ten runs as rows, oldest first."""
    return [
        {
            "run": str(run.run_id), "title": run.title, "reviewed_at": run.reviewed_at,
            "first_decision": run.decision, "last_decision": run.last_decision,
            **run.flags, "missing_spec": [missing.names[0] for missing in run.missing],
        }
        for run in page.window.runs
    ]  # fmt: skip
