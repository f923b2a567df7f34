"""Tally: counts that pages and statistics read, so that none of them reads a whole history."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db import models
from django.db.models import Q, Sum


class TallyQuerySet(models.QuerySet["Tally"]):
    """Reads in the domain's words. A count is the sum of its rows; those of a day stand apart from the rest."""

    def totals(self, *names: str, **of: Any) -> dict[str, int]:
        """Each of these counts over all flows and subcategories, or over those given as filters."""
        rows = self.filter(what__in=names, day__isnull=True, **of).order_by()
        return dict.fromkeys(names, 0) | dict(rows.values_list("what").annotate(Sum("change")))

    def total(self, what: str, **of: Any) -> int:
        return self.totals(what, **of)[what]

    def by_subcategory(self, subcategory_ids: Iterable[int], **of: Any) -> dict[int, dict[str, int]]:
        """Every count of these subcategories, by its name; over all flows, or over what is given as filters."""
        rows = self.filter(subcategory_id__in=list(subcategory_ids), day__isnull=True, **of).order_by()
        counts: dict[int, dict[str, int]] = {}
        for subcategory_id, what, sum in rows.values_list("subcategory_id", "what").annotate(Sum("change")):
            counts.setdefault(subcategory_id, {})[what] = sum
        return counts

    def by_flow(self, *whats: str, **of: Any) -> dict[str, dict[str, int]]:
        """Each of these counts by flow; flows of which there is nothing stay away."""
        rows = self.filter(what__in=whats, day__isnull=True, **of).order_by()
        counts: dict[str, dict[str, int]] = {what: {} for what in whats}
        for what, flow, sum in rows.values_list("what", "flow").annotate(Sum("change")):
            if sum:
                counts[what][flow] = sum
        return counts

    def by_place(self, what: str) -> dict[tuple[str, int], int]:
        """This count of every flow and subcategory that has any."""
        rows = self.filter(what=what, day__isnull=True, subcategory_id__isnull=False).order_by()
        found = rows.values_list("flow", "subcategory_id").annotate(Sum("change"))
        return {(flow, subcategory_id): sum for flow, subcategory_id, sum in found if sum}

    def flows(self, **of: Any) -> set[str]:
        """The flows whose runs wait or were reviewed."""
        return {flow for counts in self.by_flow("waiting", "runs", **of).values() for flow in counts}

    def by_flow_and_day(self, *whats: str, since: date) -> dict[str, dict[tuple[str, date], int]]:
        """These counts of each flow's days since then."""
        rows = self.filter(what__in=whats, day__gte=since).order_by()
        counts: dict[str, dict[tuple[str, date], int]] = {what: {} for what in whats}
        for what, flow, day, sum in rows.values_list("what", "flow", "day").annotate(Sum("change")):
            counts[what][flow, day] = sum
        return counts


class Tally(models.Model):
    """One change of one count. Triggers of the database write them (review/tallies.sql), in the transaction of
    what they count; a task folds them. Nobody waits for anybody's row, and a count that is rolled back is gone.

    what: waiting, set_aside, progress or without_record (runs by stage) | "is " and a status (runs by it) |
    runs, reviews and a name per signal (reviews that count) | first, accepted (first reviews). Per day (UTC):
    created (runs), reviewed, first, accepted.
    """

    flow = models.CharField(max_length=40)
    subcategory_id = models.BigIntegerField(null=True)  # a value: a key would be checked at every change
    day = models.DateField(null=True)
    what = models.CharField(max_length=30)
    change = models.IntegerField()

    objects = TallyQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["subcategory_id", "flow"], name="tally_of", condition=Q(day__isnull=True)),
            models.Index(fields=["what", "day"], name="tally_what"),
        ]
