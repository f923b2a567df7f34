"""Taking a run out of the queue, and putting it back: acts of people alone, each kept for ever."""

from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import BadInput, Conflict
from generation.models import Run
from generation.reading import storable
from review import assigning
from review.models import Claim, ClaimEvent, Placement
from review.models.placement import LONGEST_WHY
from review.people import name_of

log = structlog.get_logger(__name__)


def set_aside(run_id: UUID, by: User, why: str = "") -> Placement:
    """Offer this run to nobody, whatever retries, judges or rounds do with it, until `put_back`.

    Conflict where it is set aside already, decided, or over without a record. Who holds it loses it.
    """
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        if run.set_aside:
            raise Conflict(words(run))
        if not (run.has_record_to_review or run.is_in_progress):
            status = run.get_status_display()
            raise Conflict(_("This run is %(status)s: there is nothing to set aside.") % {"status": status})
        assigning.end(run)
        claims = Claim.objects.filter(run=run)
        if held := claims.filter(expires_at__gt=Now()).first():
            ClaimEvent.objects.create(run=run, kind=ClaimEvent.Kind.FREED, person=held.reviewer, by=by)
        claims.delete()
        return _place(run, Placement.Kind.SET_ASIDE, by, why)


def put_back(run_id: UUID, by: User, why: str = "") -> Placement:
    """Into the queue again, at the place that its waiting gives it. Conflict where it was not set aside."""
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        if not run.set_aside:
            raise Conflict(_("This run is not set aside."))
        return _place(run, Placement.Kind.PUT_BACK, by, why)


def _place(run: Run, kind: Placement.Kind, by: User, why: str) -> Placement:
    why = storable(why).strip()
    if len(why) > LONGEST_WHY:
        raise BadInput.at("/why", _("At most %(most)d characters.") % {"most": LONGEST_WHY})
    run.set_aside = kind == Placement.Kind.SET_ASIDE
    run.save(update_fields=["set_aside"])
    placed = Placement.objects.create(run=run, kind=kind, person=by, why=why)
    log.info("run_placed", run=str(run.pk), kind=kind.value, has_reason=bool(why))
    return placed


def last_placed(run: Run) -> Placement | None:
    """Who took it out or put it back last, and why."""
    return Placement.objects.filter(run=run).select_related("person").order_by("-id").first()


def words(run: Run) -> str:
    """Why a run that is set aside is offered to nobody."""
    placed = last_placed(run)
    who = name_of(placed.person) if placed else _("Somebody")
    why = f": {placed.why}" if placed and placed.why else ""
    return _("%(name)s set this run aside%(why)s. It is reviewed once a person puts it back.") % {
        "name": who, "why": why,
    }  # fmt: skip
