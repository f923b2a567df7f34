"""A backtest's page: its progress, what the thresholds would have done, and the way to save them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from generation.errors import Conflict
from generation.flows import label_of
from generation.models import Subcategory
from learning import backtests
from learning.models import Backtest, ThresholdSet
from learning.policies import choosing
from learning.strips import TRIGGERS
from learning.studio.frame import allowed, framed
from learning.studio.lanes import Compared, lanes, moment
from learning.studio.policy import NAV as POLICY_NAV
from learning.studio.thresholds import NAV
from learning.thresholds import Place
from review.words import label

DRAWN = 30  # subcategories of a category whose changes are drawn, those that would change most


class WhyForm(forms.Form):
    why = forms.CharField(label=gettext_lazy("Why"), max_length=300)


@dataclass(frozen=True)
class Part:
    """One subcategory of the result."""

    name: str
    slug: str
    reviews: int
    runs: int
    same: int
    untold: int
    other_reviews: int
    other_runs: int
    first: str
    last: str
    triggers: list[Compared]

    @property
    def changed(self) -> list[Compared]:
        """Triggers whose threshold would be another one; of a policy, those that it had switched otherwise."""
        return [found for found in self.triggers if found.is_other]

    @property
    def unchanged(self) -> list[Compared]:
        return [found for found in self.triggers if not found.is_other]


@dataclass(frozen=True)
class TriedPage:
    """One backtest, finished or under way."""

    backtest: Backtest
    place: Place
    meanwhile: ThresholdSet | None  # what somebody saved here since it was begun

    @property
    def flow_label(self) -> str:
        return label_of(self.place.flow)

    @property
    def is_over(self) -> bool:
        return self.backtest.finished_at is not None

    @cached_property
    def tries_policy(self) -> bool:
        """Whether another policy was tried, and not other thresholds: that is chosen for all, on its own page."""
        if not self.backtest.result:
            return self.backtest.policy != choosing.in_force()
        policies = (part.get("policies", ("", "")) for part in self.backtest.result.values())
        return any(today != tried for today, tried in policies)

    @property
    def percent(self) -> int:
        return min(100, 100 * self.backtest.done // self.backtest.total) if self.backtest.total else 0

    @property
    def proposed(self) -> list[tuple[str, int]]:
        """What is tried, in words: trigger and how many of ten."""
        there = self.backtest.of_ten
        return [(label(self.place.flow, name), there[name]) for name in TRIGGERS if name in there]

    @cached_property
    def parts(self) -> list[Part]:
        """The most changed first."""
        names = Subcategory.objects.in_bulk([int(key) for key in self.backtest.result])
        found = [
            self._part(names[int(key)], part)
            for key, part in self.backtest.result.items()
            if int(key) in names and (part["reviews"] or part["runs"])
        ]
        return sorted(found, key=lambda part: (-part.other_reviews, part.name))

    @property
    def drawn(self) -> list[Part]:
        return self.parts[:DRAWN]

    @property
    def reviews(self) -> int:
        return sum(part.reviews for part in self.parts)

    @property
    def runs(self) -> int:
        return sum(part.runs for part in self.parts)

    @property
    def same(self) -> int:
        return sum(part.same for part in self.parts)

    @property
    def untold(self) -> int:
        return sum(part.untold for part in self.parts)

    def _part(self, place: Subcategory, found: Mapping[str, Any]) -> Part:
        return Part(
            name=str(place),
            slug=place.slug,
            reviews=found["reviews"],
            runs=found["runs"],
            same=found["same"],
            untold=found["untold"],
            other_reviews=found["other_reviews"],
            other_runs=found["other_runs"],
            first=_day(found["first"]),
            last=_day(found["last"]),
            triggers=[lanes(label(self.place.flow, name), found["triggers"][name], found) for name in TRIGGERS],
        )


def _day(at: str | None) -> str:
    return moment(datetime.fromisoformat(at)) if at else ""


def _read(backtest_id: int) -> TriedPage:
    related = ("category", "subcategory__category", "by", "saved__by")
    backtest = get_object_or_404(Backtest.objects.select_related(*related), pk=backtest_id)
    here = backtests.place_of(backtest)
    newest = here.newest()
    changed = newest is not None and newest.pk != backtest.based_on and newest.pk != backtest.saved_id
    return TriedPage(backtest, here, newest if changed else None)


@require_safe
@allowed("learning.view_thresholdset")
def tried(request: HttpRequest, backtest_id: int) -> HttpResponse:
    """With htmx: what moves while it is gone through, alone."""
    return _shown(request, _read(backtest_id), WhyForm())


@require_POST
@allowed("learning.add_thresholdset")
def save(request: HttpRequest, backtest_id: int) -> HttpResponse:
    page, form = _read(backtest_id), WhyForm(request.POST)
    if not form.is_valid():
        return _shown(request, page, form, status=422)
    try:
        backtests.save(page.backtest, by=cast(User, request.user), why=form.cleaned_data["why"])
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return _shown(request, _read(backtest_id), form, status=409)
    messages.success(request, _("These thresholds hold for %s from now on.") % page.place.at)
    return redirect("studio:place", page.place.flow, page.place.kind, page.place.at.pk)


def _shown(request: HttpRequest, page: TriedPage, form: WhyForm, status: int = 200) -> HttpResponse:
    context = {"page": page, "form": form, "may_change": request.user.has_perm("learning.add_thresholdset")}
    if getattr(request, "htmx", False) and request.method == "GET":
        return render(request, "admin/studio/thresholds/_tried.html", context)
    under = reverse(POLICY_NAV if page.tries_policy else NAV)
    return framed(request, "thresholds/tried.html", context, under=under, status=status)
