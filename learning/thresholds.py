"""Thresholds that admins set for a category or a subcategory: each save is a new row, the nearest place wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from generation.errors import BadInput, Conflict
from generation.models import Category, Subcategory
from learning.models import ThresholdSet
from learning.rules import Own, nearest, rules
from learning.triggers import THRESHOLDS
from learning.window import SIZE

log = structlog.get_logger(__name__)
SHIPPED: dict[str, int] = {name: of_ten for name, (_flag, of_ten) in THRESHOLDS.items()}


@dataclass(frozen=True)
class Place:
    """Where thresholds are set: one flow in one category, or in one subcategory."""

    flow: str
    at: Category | Subcategory

    @property
    def kind(self) -> str:
        return "category" if isinstance(self.at, Category) else "subcategory"

    @property
    def key(self) -> dict[str, Any]:
        """The fields of a row that belongs here."""
        return {"flow": self.flow, self.kind: self.at}

    def sets(self) -> QuerySet[ThresholdSet]:
        """All that was ever set here, the newest first."""
        return ThresholdSet.objects.filter(**self.key).select_related("by")

    def newest(self) -> ThresholdSet | None:
        return self.sets().first()

    def above(self) -> dict[str, int]:
        """What holds here where nothing is set: the category's over the shipped ones."""
        if isinstance(self.at, Category):
            return dict(SHIPPED)
        upper = Place(self.flow, self.at.category).newest()
        return SHIPPED | (upper.of_ten if upper else {})

    def subcategories(self) -> list[Subcategory]:
        """Those whose triggers what is set here may move."""
        return (
            [self.at] if isinstance(self.at, Subcategory) else list(self.at.subcategories.order_by("name", "pk"))
        )

    def proposed(self, of_ten: Mapping[str, int]) -> dict[int, Own]:
        """What each of its subcategories would have, were this set here now."""
        if isinstance(self.at, Subcategory):
            upper = Place(self.flow, self.at.category).newest()
            return {self.at.pk: nearest(_pair(upper), (0, of_ten))}
        own = {
            row.subcategory_id: row
            for row in ThresholdSet.objects.filter(
                pk__in=ThresholdSet.objects.filter(flow=self.flow, subcategory__category=self.at)
                .order_by()
                .values("subcategory")
                .annotate(newest=Max("pk"))
                .values("newest")
            )
        }
        return {place.pk: nearest((0, of_ten), _pair(own.get(place.pk))) for place in self.subcategories()}


def _pair(found: ThresholdSet | None) -> tuple[int, Mapping[str, int]] | None:
    return None if found is None else (found.pk, found.of_ten)


def checked(of_ten: Mapping[str, Any]) -> dict[str, int]:
    """Whole numbers from 1 to 10, by trigger; BadInput names each that is none."""
    wrong = [name for name, value in of_ten.items() if name not in SHIPPED or type(value) is not int]
    wrong += [name for name, value in of_ten.items() if name not in wrong and not 1 <= value <= SIZE]
    if wrong:
        raise BadInput.at(f"/{wrong[0]}", _("A whole number from 1 to %d.") % SIZE)
    return dict(of_ten)


def save(place: Place, of_ten: Mapping[str, int], *, by: User, why: str, based_on: int | None) -> ThresholdSet:
    """What holds here from now on. Conflict where somebody saved here after `based_on`; BadInput as `checked`."""
    clean = checked(of_ten)
    with transaction.atomic():
        type(place.at).objects.select_for_update(no_key=True).get(pk=place.at.pk)
        newest = place.newest()
        if (newest.pk if newest else None) != based_on:
            raise Conflict(_("Somebody saved thresholds here meanwhile. Nothing of yours was saved."))
        made = ThresholdSet.objects.create(**place.key, of_ten=clean, by=by, why=why)
        made.refresh_from_db()
    log.info("thresholds_saved", flow=place.flow, place=place.kind, own=len(clean))
    return made


def now(flow: str, subcategory_ids: list[int]) -> dict[int, Own]:
    """What is in force today. One query."""
    found = rules(flow, subcategory_ids)
    return {subcategory_id: found.of(subcategory_id) for subcategory_id in subcategory_ids}


def of_sets(keys: list[int]) -> Own:
    """The thresholds of these rows put together, the category's first."""
    rows = ThresholdSet.objects.in_bulk(keys)
    return nearest(*(_pair(rows[key]) for key in keys))
