"""How long runs have been waiting for a person."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from generation.models import Run
from review.models import Claim

# Upper bound of each age; the last one is open.
BOUNDS: tuple[tuple[str, Promise, timedelta | None], ...] = (
    ("hour", _("under 1 h"), timedelta(hours=1)),
    ("hours", _("1 to 4 h"), timedelta(hours=4)),
    ("day", _("4 to 24 h"), timedelta(days=1)),
    ("days", _("1 to 2 days"), timedelta(days=2)),
    ("late", _("over 2 days"), None),
)


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
    """The queue by age, in one query."""
    claimed = Exists(Claim.objects.filter(run=OuterRef("pk"), expires_at__gt=Now()))
    waiting = Run.objects.up_for_review().annotate(claimed=claimed)
    counts = waiting.aggregate(
        **{
            f"{key}_{kind}": Count("pk", filter=within & Q(claimed=kind == "held"))
            for key, within in _bounds().items()
            for kind in ("free", "held")
        }
    )
    return [
        Age(name, counts[f"{key}_free"], counts[f"{key}_held"], late=bound is None) for key, name, bound in BOUNDS
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
