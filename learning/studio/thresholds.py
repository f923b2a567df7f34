"""Thresholds: what holds where, and the form in which others are thought of; they are tried before they hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Max, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from generation.errors import BadInput
from generation.flows import FLOWS, label_of
from generation.models import Category, Subcategory
from learning import backtests
from learning.models import Backtest, ThresholdSet
from learning.strips import TRIGGERS, Strip, strips
from learning.studio.frame import allowed, framed
from learning.thresholds import SHIPPED, Place
from learning.totals import totals
from learning.triggers import decide
from learning.window import SIZE, window
from review.words import label

MOST = 200  # subcategories on one page; a search finds the others
KINDS = ("category", "subcategory")
NAV = "admin:learning_thresholdset_changelist"


@dataclass(frozen=True)
class Cell:
    """One trigger in one place: how many of ten, and whether that was set here."""

    of_ten: int
    own: bool


@dataclass(frozen=True)
class Row:
    """One place with what holds there; set_here: the newest row that says so."""

    place: Place
    cells: list[Cell]
    set_here: ThresholdSet | None
    reviewed: int = 0

    @property
    def kind(self) -> str:
        return self.place.kind


@dataclass(frozen=True)
class Overview:
    """All places of one flow, a category before its subcategories."""

    flow: str
    query: str
    rows: list[Row]
    is_cut: bool
    labels: list[str] = field(default_factory=list)
    shipped: list[int] = field(default_factory=lambda: [SHIPPED[name] for name in TRIGGERS])

    @property
    def flows(self) -> list[tuple[str, str]]:
        return [(name, label_of(name)) for name in FLOWS]

    @classmethod
    def read(cls, flow: str, query: str) -> "Overview":
        """Five queries, however many places there are."""
        named = Q(name__icontains=query) | Q(category__name__icontains=query)
        found = list(
            Subcategory.objects.filter(named if query else Q())
            .select_related("category")
            .order_by("category__name", "name", "pk")[: MOST + 1]
        )
        newest = ThresholdSet.objects.filter(flow=flow).order_by().values("category", "subcategory")
        sets = ThresholdSet.objects.filter(pk__in=newest.annotate(pk_=Max("pk")).values("pk_")).select_related(
            "by"
        )
        there = {(row.category_id, row.subcategory_id): row for row in sets}
        counts = totals(flow, [place.pk for place in found[:MOST]])
        rows: list[Row] = []
        for category, places in groupby(found[:MOST], key=lambda place: place.category):
            upper = there.get((category.pk, None))
            rows.append(Row(Place(flow, category), _cells(SHIPPED, upper), upper))
            above = SHIPPED | (upper.of_ten if upper else {})
            for place in places:
                own = there.get((None, place.pk))
                rows.append(Row(Place(flow, place), _cells(above, own), own, counts[place.pk].runs))
        return cls(flow, query, rows, len(found) > MOST, [label(flow, name) for name in TRIGGERS])


def _cells(above: Mapping[str, int], own: ThresholdSet | None) -> list[Cell]:
    here = own.of_ten if own else {}
    return [Cell(here.get(name, above[name]), name in here) for name in TRIGGERS]


@dataclass(frozen=True)
class Choice:
    """One trigger of the form: what holds from above, what is set here, and how it stands in the window now."""

    name: str
    label: str
    above: int
    value: str
    strip: Strip | None
    error: str = ""


@dataclass(frozen=True)
class PlacePage:
    place: Place
    choices: list[Choice]
    history: list[ThresholdSet]
    tried: list[Backtest]
    low_confidence: bool

    @property
    def flow_label(self) -> str:
        return label_of(self.place.flow)

    @property
    def most(self) -> int:
        return SIZE

    @property
    def above(self) -> str:
        """Where what is not set here comes from."""
        at = self.place.at
        return _("as shipped") if isinstance(at, Category) else _("from %s") % at.category

    @classmethod
    def read(cls, place: Place, given: Mapping[str, str], errors: Mapping[str, str]) -> "PlacePage":
        """given: what the fields hold, by trigger."""
        drawn: dict[str, Strip] = {}
        few = False
        if isinstance(place.at, Subcategory):
            seen = window(place.flow, place.at.pk)
            triggers = decide(seen)
            few = triggers.low_confidence and seen.reviewed > 0
            drawn = {strip.name: strip for strip in strips(seen, triggers)} if seen.reviewed else {}
        above = place.above()
        choices = [
            Choice(
                name,
                label(place.flow, name),
                above[name],
                given.get(name, ""),
                drawn.get(name),
                errors.get(name, ""),
            )
            for name in TRIGGERS
        ]
        tried = Backtest.objects.filter(**place.key).select_related("by")[:5]
        return cls(place, choices, list(place.sets()[:20]), list(tried), few)


@require_safe
@allowed("learning.view_thresholdset")
def overview(request: HttpRequest) -> HttpResponse:
    flow = request.GET.get("flow") or next(iter(FLOWS))
    if flow not in FLOWS:
        raise Http404
    page = Overview.read(flow, request.GET.get("q", "").strip()[:100])
    return framed(request, "thresholds/overview.html", {"page": page}, under=reverse(NAV))


@require_http_methods(["GET", "HEAD", "POST"])
@allowed("learning.view_thresholdset")
def place(request: HttpRequest, flow: str, kind: str, key: int) -> HttpResponse:
    """GET: the form, with what holds now or, by `?from=`, what an older set said. POST: try what it holds."""
    here = place_named(flow, kind, key)
    if request.method == "POST":
        return _try(request, here)
    start = here.newest()
    if (older := request.GET.get("from", "")).isdecimal():
        start = get_object_or_404(here.sets(), pk=int(older))
    given = {name: str(of_ten) for name, of_ten in (start.of_ten if start else {}).items()}
    return _form(request, here, given, {})


def place_named(flow: str, kind: str, key: int) -> Place:
    if flow not in FLOWS or kind not in KINDS:
        raise Http404
    if kind == "category":
        return Place(flow, get_object_or_404(Category, pk=key))
    return Place(flow, get_object_or_404(Subcategory, pk=key))


def _try(request: HttpRequest, here: Place) -> HttpResponse:
    if not request.user.has_perm("learning.add_thresholdset"):
        raise PermissionDenied
    given = {name: request.POST.get(name, "").strip() for name in TRIGGERS}
    try:
        of_ten = {name: _whole(name, text) for name, text in given.items() if text}
        begun = backtests.start(here, of_ten, cast(User, request.user))
    except BadInput as refusal:
        errors = {problem.pointer.strip("/"): problem.detail for problem in refusal.problems}
        return _form(request, here, given, errors, status=422)
    return redirect("studio:backtest", begun.pk)


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise BadInput.at(f"/{name}", _("A whole number from 1 to %d.") % SIZE)
    return int(text)


def _form(
    request: HttpRequest, here: Place, given: Mapping[str, str], errors: Mapping[str, str], status: int = 200
) -> HttpResponse:
    page = PlacePage.read(here, given, errors)
    context = {"page": page, "may_change": request.user.has_perm("learning.add_thresholdset")}
    return framed(request, "thresholds/place.html", context, under=reverse(NAV), status=status)
