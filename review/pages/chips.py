"""The filters of a list as chips: what is set, each with the address without it, and what may be set."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from generation.flows import FLOWS, label_of
from generation.models import Batch, Institution, JudgeOutcome, Status, Subcategory
from review.filters import Filters
from review.groups import ADJUDICATOR, REVIEWER
from review.people import name_of

MOST_CHOICES = 500
MOST_BATCHES = 20  # the newest; an older one is reached from its own page
IN_A_MENU = ("flow", "subcategory", "text")  # the others stand in the form of all filters


@dataclass(frozen=True)
class Choice:
    label: str
    address: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class Chip:
    """A filter that is set."""

    name: str
    label: str
    value: str
    without: str  # the address


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class Chips:
    set: list[Chip]
    flows: list[Choice]
    subcategories: list[Choice]
    subcategory_name: str
    statuses: list[Option]
    outcomes: list[Option]
    institutions: list[Option]
    batches: list[Option]
    holders: list[Option]
    reviewers: list[Option]
    kept: list[tuple[str, str]]  # what the form of further filters must not lose


def chips(filters: Filters, user: User, by_flow: Mapping[str, int]) -> Chips:
    """Five queries, and one more where an older batch is named."""
    subcategories = list(Subcategory.objects.order_by("name").values_list("slug", "name")[:MOST_CHOICES])
    institutions = list(Institution.objects.order_by("name").values_list("slug", "name")[:MOST_CHOICES])
    persons, batches = people(), _batches(filters.batch)
    holders = [("me", _("me")), ("nobody", _("nobody")), *persons]
    known: dict[str, Mapping[str, str]] = {
        "flow": {name: label_of(name) for name in FLOWS},
        "subcategory": dict(subcategories),
        "institution": dict(institutions),
        "batch": dict(batches),
        "status": {value: str(label) for value, label in Status.choices},
        "outcome": {value: str(label) for value, label in JudgeOutcome.choices},
        "holder": dict(holders),
        "reviewer": {"me": _("me"), **dict(persons)},
    }
    labels = _labels()
    shown = [name for name, _value in filters.set() if name not in IN_A_MENU]
    words = {name: known.get(name, {}).get(value, value) for name, value in filters.set()}
    return Chips(
        set=[Chip(name, labels[name], words[name], filters.address(**{name: ""})) for name in shown],
        flows=_choices("flow", filters, list(known["flow"].items()), by_flow),
        subcategories=_choices("subcategory", filters, subcategories, {}),
        subcategory_name=words.get("subcategory", ""),
        statuses=_options(filters.status, list(known["status"].items())),
        outcomes=_options(filters.outcome, list(known["outcome"].items())),
        institutions=_options(filters.institution, institutions),
        batches=_options(filters.batch, batches),
        holders=_options(filters.holder, holders),
        reviewers=_options(filters.reviewer, [("me", _("me")), *persons]),
        kept=[(name, value) for name, value in filters.set() if name in ("flow", "subcategory")],
    )


def _labels() -> dict[str, str]:
    return {
        "status": _("Status"),
        "batch": _("Batch"),
        "institution": _("Institution"),
        "outcome": _("Judge"),
        "holder": _("Held by"),
        "reviewer": _("Reviewed by"),
        "after": _("Made from"),
        "before": _("Made before"),
    }


def _batches(chosen: str) -> list[tuple[str, str]]:
    """The newest batches, and the chosen one, by their names; one without a name by the day it was made."""
    newest = list(Batch.objects.order_by("-pk").only("name", "created_at")[:MOST_BATCHES])
    if chosen and all(str(batch.pk) != chosen for batch in newest):
        newest += Batch.objects.filter(pk=chosen).only("name", "created_at")
    return [(str(batch.pk), batch.name or f"{batch.created_at:%Y-%m-%d %H:%M} UTC") for batch in newest]


def people() -> list[tuple[str, str]]:
    """Those who review, by user name."""
    found = User.objects.filter(groups__name__in=[REVIEWER, ADJUDICATOR], is_active=True).distinct()
    return [(user.username, name_of(user)) for user in found.order_by("username")[:MOST_CHOICES]]


def _options(chosen: str, known: list[tuple[str, str]]) -> list[Option]:
    options = [Option(value, label, value == chosen) for value, label in known]
    if chosen and all(not option.chosen for option in options):
        options.append(Option(chosen, chosen, True))
    return options


def _choices(name: str, filters: Filters, known: list[tuple[str, str]], counts: Mapping[str, int]) -> list[Choice]:
    current = getattr(filters, name)
    return [
        Choice(_("any"), filters.address(**{name: ""}), not current),
        *(Choice(label, filters.address(**{name: key}), key == current, counts.get(key)) for key, label in known),
    ]
