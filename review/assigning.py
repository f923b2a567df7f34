"""Assigning: a run is kept for one person until a time, and goes back to everybody by itself. Database time."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import Conflict
from generation.models import Run
from review import panel
from review.models import Assignment
from review.people import name_of

AT_ONCE = 500


def assign(run_ids: Sequence[UUID], person: User | None, by: User, *, hours: float | None = None) -> int:
    """Keep these runs for `person`, in this order; None gives them back to everybody. How many it did.

    Runs that are not up for review, or not for this person to review, are left as they are. hours: until then;
    else FOLDBACK_ASSIGNMENT_HOURS.
    """
    until = Now() + timedelta(hours=settings.FOLDBACK_ASSIGNMENT_HOURS if hours is None else hours)
    with transaction.atomic():
        open_ones = Run.objects.up_for_review().filter(pk__in=run_ids).order_by("pk")
        locked = set(open_ones.select_for_update(no_key=True).values_list("pk", flat=True))
        if person is not None:  # whoever has reviewed it, or made it, would keep it from all others
            locked &= panel.due(locked, person)
        ids = [run_id for run_id in dict.fromkeys(run_ids) if run_id in locked]
        Assignment.objects.filter(run__in=ids).delete()
        if person is not None:
            Assignment.objects.bulk_create(
                [Assignment(run_id=run_id, person=person, by=by, until=until) for run_id in ids]
            )
        Run.objects.filter(pk__in=ids).exclude(assigned=person is not None).update(assigned=person is not None)
    return len(ids)


def end(run: Run) -> None:
    """This run is nobody's any more. The caller holds its lock, in a transaction."""
    if run.assigned:
        Assignment.objects.filter(run=run).delete()
        run.assigned = False
        run.save(update_fields=["assigned"])


def end_expired() -> int:
    """Give back what its person did not come to in time, at most `AT_ONCE`; how many that were."""
    with transaction.atomic():
        over = Assignment.objects.filter(until__lte=Now()).order_by("until").values_list("run_id", flat=True)
        runs = Run.objects.filter(pk__in=list(over[:AT_ONCE])).order_by("pk")  # locked before what hangs on them
        ids = list(runs.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True))
        if not ids:
            return 0
        Assignment.objects.filter(run__in=ids, until__lte=Now()).delete()
        kept = Assignment.objects.filter(run__in=ids).values("run")
        Run.objects.filter(pk__in=ids).exclude(pk__in=kept).update(assigned=False)
    return len(ids)


def live(run: Run) -> Assignment | None:
    """Whose it is, where it is still theirs."""
    if not run.assigned:
        return None
    return Assignment.objects.filter(run=run, until__gt=Now()).select_related("person").first()


def refuse_if_anothers(run: Run, reviewer: User | None) -> None:
    """Conflict where this run is kept for somebody else."""
    kept = live(run)
    if kept is not None and kept.person != reviewer:
        words = {"name": name_of(kept.person), "time": f"{kept.until:%Y-%m-%d %H:%M} UTC"}
        raise Conflict(_("This run is assigned to %(name)s until %(time)s.") % words)
