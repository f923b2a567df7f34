"""The policy: what each one does, which is in force and who chose it, and what another would have done here."""

from collections import Counter
from dataclasses import dataclass, field
from typing import cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from generation.flows import FLOWS, label_of
from generation.models import Category, Subcategory
from learning import backtests
from learning.models import Backtest, PolicyChoice
from learning.policies import POLICIES, STEADY, choosing
from learning.studio.frame import allowed, framed
from learning.thresholds import Place
from review.models import Tally

NAV = "admin:learning_policychoice_changelist"
LISTED = 20  # choices and backtests


class ChoiceForm(forms.Form):
    policy = forms.ChoiceField(label=gettext_lazy("Policy"), choices=[(name, name) for name in POLICIES])
    why = forms.CharField(label=gettext_lazy("Why"), max_length=300)


def _places() -> list[tuple[str, str]]:
    """Each flow and category with reviews, as an address and in words; where there are most comes first."""
    reviews: Counter[tuple[str, int]] = Counter()
    upper = dict(Subcategory.objects.values_list("pk", "category"))
    for (flow, subcategory_id), count in Tally.objects.by_place("reviews").items():
        if flow in FLOWS and subcategory_id in upper:
            reviews[flow, upper[subcategory_id]] += count
    names = dict(Category.objects.values_list("pk", "name"))
    found = reviews.most_common()
    return [(f"{flow}/{pk}", _place(label_of(flow), names[pk], count)) for (flow, pk), count in found]


def _place(flow: str, category: str, count: int) -> str:
    words = ngettext("%(flow)s, %(category)s: %(n)d review", "%(flow)s, %(category)s: %(n)d reviews", count)
    return words % {"flow": flow, "category": category, "n": count}


class TryForm(forms.Form):
    """What is tried: the other policy, at the thresholds that hold there now."""

    place = forms.ChoiceField(label=gettext_lazy("Flow and category"), choices=_places)
    policy = forms.ChoiceField(label=gettext_lazy("Policy"), choices=[(name, name) for name in POLICIES])


@dataclass(frozen=True)
class PolicyPage:
    in_force: str
    choice: forms.Form
    attempt: forms.Form
    history: list[PolicyChoice] = field(default_factory=list)
    tried: list[Backtest] = field(default_factory=list)

    @property
    def has_history(self) -> bool:
        return bool(_places())

    @property
    def default(self) -> str:
        return str(settings.FOLDBACK_POLICY)

    @property
    def holdout(self) -> int:
        """In per cent."""
        return round(100 * float(settings.FOLDBACK_HOLDOUT))

    @property
    def never_lets_go(self) -> bool:
        return not settings.FOLDBACK_HOLDOUT

    @classmethod
    def read(cls, choice: forms.Form | None = None, attempt: forms.Form | None = None) -> "PolicyPage":
        now = choosing.in_force()
        other = next(name for name in POLICIES if name != now)
        return cls(
            now,
            choice or ChoiceForm(initial={"policy": now}),
            attempt or TryForm(initial={"policy": other}),
            list(PolicyChoice.objects.select_related("by")[:LISTED]),
            list(
                Backtest.objects.filter(category__isnull=False).exclude(policy=now).select_related("category")[:5]
            ),
        )


@require_http_methods(["GET", "HEAD", "POST"])
@allowed("learning.view_policychoice")
def policy(request: HttpRequest) -> HttpResponse:
    """GET: what each does, and which is in force. POST: choose one."""
    if request.method != "POST":
        return _shown(request, PolicyPage.read())
    return _choose(request)


@allowed("learning.add_policychoice")
def _choose(request: HttpRequest) -> HttpResponse:
    form = ChoiceForm(request.POST)
    if not form.is_valid():
        return _shown(request, PolicyPage.read(choice=form), status=422)
    made = choosing.choose(form.cleaned_data["policy"], by=cast(User, request.user), why=form.cleaned_data["why"])
    messages.success(request, _("From now on triggers follow the policy %s.") % made.policy)
    return redirect("studio:policy")


@require_POST
@allowed("learning.add_policychoice")
def attempt(request: HttpRequest) -> HttpResponse:
    """Go through a category's history by the policy; nothing changes by it."""
    form = TryForm(request.POST)
    if not form.is_valid():
        return _shown(request, PolicyPage.read(attempt=form), status=422)
    flow, category = form.cleaned_data["place"].split("/")
    place = Place(flow, Category.objects.get(pk=category))
    newest = place.newest()
    of_ten = newest.of_ten if newest else {}
    begun = backtests.start(place, of_ten, cast(User, request.user), policy=form.cleaned_data["policy"])
    return redirect("studio:backtest", begun.pk)


def _shown(request: HttpRequest, page: PolicyPage, status: int = 200) -> HttpResponse:
    context = {"page": page, "steady": STEADY, "may_change": request.user.has_perm("learning.add_policychoice")}
    return framed(request, "policy.html", context, under=reverse(NAV), status=status)
