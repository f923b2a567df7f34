"""How long runs have been waiting for a person."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from generation.models import Run
from review.models import Claim
from review.queue import count_waiting

# Upper bound of each age; the last one is open.
BOUNDS: tuple[tuple[str, Promise, timedelta | None], ...] = (
    ("hour", _("under 1 h"), timedelta(hours=1)),
    ("hours", _("1 to 4 h"), timedelta(hours=4)),
    ("day", _("4 to 24 h"), timedelta(days=1)),
    ("days", _("1 to 2 days"), timedelta(days=2)),
    ("late", _("over 2 days"), None),
)
LATELY = timedelta(days=2)  # the bound of the last but one


@dataclass(frozen=True)
class Age:
    name: Promise
    free: int
    held: int
    late: bool

    @property
    def count(self) -> int:
        return self.free + self.held


def ages() -> list[Age]:
    """The queue by age, in three queries: what came lately is counted, and the rest of the tally is old."""
    bounds = _bounds()
    lately = Run.objects.up_for_review().filter(changed_at__gt=Now() - LATELY)
    counts = lately.aggregate(**{key: Count("pk", filter=within) for key, within in bounds.items()})
    counts[BOUNDS[-1][0]] = max(0, count_waiting() - sum(counts.values()))
    live = Claim.objects.filter(expires_at__gt=Now()).values("run")
    held = Run.objects.up_for_review().filter(pk__in=live)
    taken = held.aggregate(**{key: Count("pk", filter=within) for key, within in bounds.items()})
    return [
        Age(name, max(0, counts[key] - taken[key]), taken[key], late=bound is None) for key, name, bound in BOUNDS
    ]


def _bounds() -> dict[str, Q]:
    found = {}
    younger: timedelta | None = None
    for key, _name, older in BOUNDS:
        within = Q()
        if younger is not None:
            within &= Q(changed_at__lte=Now() - younger)
        if older is not None:
            within &= Q(changed_at__gt=Now() - older)
        found[key] = within
        younger = older
    return found
