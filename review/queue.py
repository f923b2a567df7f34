"""The queue: claims on runs that wait for a person, and the list of them. All times are the database's."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import Conflict
from generation.models import Run, Status, Subcategory
from generation.models.run import Priority, RunQuerySet
from review import assigning, panel, setting_aside
from review.groups import CAN_ADJUDICATE
from review.models import Claim, ClaimEvent, Tally
from review.panel import MAY_REVIEW
from review.people import name_of

log = structlog.get_logger(__name__)

_OPEN = (
    "NOT r.set_aside"
    " AND (r.status IN ('awaiting_review', 'needs_human_review') OR (r.revision >= 1 AND r.status = 'failed'))"
    " AND (%(flow)s::text IS NULL OR r.flow = %(flow)s)"
    " AND (%(subcategory)s::bigint IS NULL OR r.subcategory_id = %(subcategory)s)"
    " AND r.id <> ALL(%(exclude)s::uuid[])"
    " AND (%(among)s::uuid[] IS NULL OR r.id = ANY(%(among)s::uuid[]))"
    f" AND {MAY_REVIEW}"
)
_FREE = "NOT EXISTS (SELECT FROM review_claim c WHERE c.run_id = r.id AND c.expires_at > statement_timestamp())"
# One statement of at most three probes, each over an index and ending at its first row: the reviewer's own live
# claim, else what was assigned to them first, else the first of the queue that is assigned to nobody. A claim that
# was committed between this statement's snapshot and its row lock shows in ON CONFLICT: picked, but not taken.
# Before it, in the same message and so in one transaction, a lock that only this person's other claims wait for:
# they begin, with snapshots of their own, when this claim can be seen. A run of one's own is waited for, too.
_CLAIM_NEXT = f"""
SELECT pg_advisory_xact_lock(hashtext('foldback.claim'), %(reviewer)s);
WITH own AS (
  SELECT r.id FROM review_claim c JOIN generation_run r ON r.id = c.run_id
  WHERE c.reviewer_id = %(reviewer)s AND c.expires_at > statement_timestamp() AND {_OPEN}
  ORDER BY c.created_at, c.id LIMIT 1 FOR NO KEY UPDATE OF r
), assigned AS (
  SELECT r.id FROM review_assignment a JOIN generation_run r ON r.id = a.run_id
  WHERE NOT EXISTS (SELECT FROM own) AND a.person_id = %(reviewer)s AND a.until > statement_timestamp()
    AND {_OPEN} AND {_FREE}
  ORDER BY a.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
), pool AS (
  SELECT r.id FROM generation_run r
  WHERE NOT EXISTS (SELECT FROM own) AND NOT EXISTS (SELECT FROM assigned)
    AND r.priority < {Priority.ASSIGNED.value} AND {_OPEN} AND {_FREE}
  ORDER BY r.priority, r.changed_at, r.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
), picked AS (
  SELECT id FROM own UNION ALL SELECT id FROM assigned UNION ALL SELECT id FROM pool
), taken AS (
  INSERT INTO review_claim AS held (run_id, reviewer_id, created_at, expires_at)
  SELECT id, %(reviewer)s, statement_timestamp(), statement_timestamp() + make_interval(secs => %(seconds)s)
  FROM picked
  ON CONFLICT (run_id) DO UPDATE SET
    reviewer_id = excluded.reviewer_id,
    created_at = CASE held.reviewer_id WHEN excluded.reviewer_id THEN held.created_at ELSE excluded.created_at END,
    expires_at = GREATEST(held.expires_at, excluded.expires_at)
  WHERE held.reviewer_id = excluded.reviewer_id OR held.expires_at <= statement_timestamp()
  RETURNING held.id, held.run_id
), told AS (
  INSERT INTO review_claimevent (run_id, kind, person_id)
  SELECT run_id, 'taken', %(reviewer)s FROM taken WHERE NOT EXISTS (SELECT FROM own)
)
SELECT (SELECT id FROM taken) FROM picked
"""  # noqa: S608 - joined of the constants above, values are bound


def claim_next(
    reviewer: User,
    *,
    flow: str | None = None,
    subcategory: Subcategory | str | None = None,
    seconds: float | None = None,
    exclude: Collection[UUID] = (),
    among: Collection[UUID] | None = None,
) -> Claim | None:
    """The run that `reviewer` should look at next, claimed for `seconds`; None where nothing waits.

    A live claim of their own is renewed and comes first, except on runs in `exclude` (skipped ones, or
    the one on screen while the next is prefetched); then what is assigned to them; then the queue in its
    order (`QUEUE_ORDER`). Two reviewers never get the same run, and one who asks many times at once gets one.
    `among`: none but these.
    """
    wanted = {
        "reviewer": reviewer.pk,
        "adjudicates": reviewer.has_perm(CAN_ADJUDICATE),
        "flow": flow or None,
        "subcategory": _subcategory_id(subcategory),
        "seconds": settings.CLAIM_SECONDS if seconds is None else seconds,
        "exclude": list(exclude),
        "among": None if among is None else list(among),
    }
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM_NEXT, wanted)
            cursor.nextset()  # the lock's answer comes first
            row = cursor.fetchone()
        if row is None:
            if assigning.end_expired():  # nothing is kept from people who wait, be the worker away
                continue
            return None
        if row[0] is not None:
            return Claim.objects.select_related("run__subcategory__category", "reviewer").get(pk=row[0])
        # Another was faster by a moment: their claim is visible to the next try.


def take(run_id: UUID, reviewer: User, *, seconds: float | None = None, stamp: str = "") -> Claim:
    """Claim this run, or renew the reviewer's own claim. Conflict where another holds it or it is not open.

    `stamp`: as `stamp_of` read it; Conflict where the run has changed since.
    """
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        if stamp and stamp != stamp_of(run):
            raise Conflict(_("This run has changed."))
        refuse_unless_open(run, reviewer)
        refuse_if_held(run, reviewer)
        return hold(run, reviewer, seconds=seconds)


def hold(run: Run, reviewer: User, *, seconds: float | None = None) -> Claim:
    """Write the claim of a run that the caller has locked and found free."""
    length = timedelta(seconds=settings.CLAIM_SECONDS if seconds is None else seconds)
    was = Claim.objects.filter(run=run).first()
    if was is None or was.reviewer_id != reviewer.pk:
        ClaimEvent.objects.create(run=run, kind=ClaimEvent.Kind.TAKEN, person=reviewer)
    claim, _made = Claim.objects.update_or_create(
        run=run, defaults={"reviewer": reviewer, "expires_at": Now() + length}
    )
    claim.refresh_from_db()
    return claim


def stamp_of(run: Run) -> str:
    """What a page of this run was drawn from: another stamp, another page."""
    return f"{run.revision}-{run.changed_at.timestamp()}"


def renew(run_id: UUID, reviewer: User, *, seconds: float | None = None) -> Claim:
    """Keep a claim alive; one that ran out is taken anew where nobody else has the run.

    Conflict where another holds it, it is not open any more, or the claim was released: whoever released it meant
    the run to be free.
    """
    with transaction.atomic():
        run = Run.objects.locked(run_id)
        refuse_unless_open(run, reviewer)
        refuse_if_held(run, reviewer)
        if not Claim.objects.filter(run=run).exists():
            raise Conflict(_("You do not hold this run any more."))
        return hold(run, reviewer, seconds=seconds)


def release(run_id: UUID, reviewer: User) -> None:
    """Give a run back; nothing happens where it is not held."""
    with transaction.atomic():
        given_back, _of = Claim.objects.filter(run_id=run_id, reviewer=reviewer).delete()
        if given_back:
            ClaimEvent.objects.create(run_id=run_id, kind=ClaimEvent.Kind.GIVEN_BACK, person=reviewer)


def free(run_id: UUID, by: User) -> bool:
    """Take a run from whoever holds it; False where nobody does. `by` may do so (review.delete_claim)."""
    with transaction.atomic():
        claims = Claim.objects.select_for_update().filter(run_id=run_id)
        held = claims.filter(expires_at__gt=Now()).first()
        claims.delete()
        if held is None:
            return False
        ClaimEvent.objects.create(run_id=run_id, kind=ClaimEvent.Kind.FREED, person=held.reviewer, by=by)
    log.info("claim_released", run=str(run_id))
    return True


def refuse_unless_open(run: Run, reviewer: User | None) -> None:
    """Conflict where this run is not up for review by this person; decided runs are open to adjudicators."""
    if run.is_up_for_review:
        panel.refuse_unless_due(run, reviewer)
        return
    if run.has_record_to_review:  # and set aside, or it would be up for review
        raise Conflict(setting_aside.words(run))
    status = Status(run.shown_status).label
    if run.status in (Status.APPROVED, Status.REJECTED):
        if reviewer is not None and reviewer.has_perm(CAN_ADJUDICATE):
            return
        raise Conflict(_("This run is %(status)s; only an adjudicator reviews it again.") % {"status": status})
    if run.is_in_progress:
        raise Conflict(
            _("This run is %(status)s; it can be reviewed once its record is made.") % {"status": status}
        )
    raise Conflict(_("This run is %(status)s and has no record to review; retry it first.") % {"status": status})


def refuse_if_held(run: Run, reviewer: User | None) -> None:
    """Conflict where somebody else holds a live claim on this run."""
    claim = held_by_another(run, reviewer)
    if claim is not None:
        words = {"name": name_of(claim.reviewer), "time": f"{claim.expires_at:%H:%M:%S} UTC"}
        raise Conflict(_("%(name)s is reviewing this run, until %(time)s.") % words)
    assigning.refuse_if_anothers(run, reviewer)


def held_by_another(run: Run, reviewer: User | None) -> Claim | None:
    """Somebody else's live claim."""
    claims = Claim.objects.filter(run=run, expires_at__gt=Now()).exclude(reviewer=reviewer)
    return claims.select_related("reviewer").first() if claims.exists() else None


def end_claim(run: Run) -> None:
    """Nobody holds this run any more. The caller holds its lock."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM review_claim WHERE run_id = %s", [run.pk])


def count_waiting(*, flow: str | None = None, subcategory: Subcategory | str | None = None) -> int:
    """How many runs are up for review, off the tallies."""
    of = {"flow": flow, "subcategory_id": _subcategory_id(subcategory)}
    return Tally.objects.total("waiting", **{name: value for name, value in of.items() if value not in (None, "")})


def queue_of(flow: str | None = None, subcategory: Subcategory | str | None = None) -> RunQuerySet:
    """The runs up for review, of a flow or a subcategory where one is given."""
    runs = Run.objects.up_for_review()
    if flow:
        runs = runs.filter(flow=flow)
    if subcategory:
        runs = runs.filter(subcategory=_subcategory_id(subcategory))
    return runs


def _subcategory_id(subcategory: Subcategory | str | None) -> int | None:
    """The key of a subcategory given as a row or by its slug; 0, which no row has, for an unknown slug."""
    if isinstance(subcategory, str) and subcategory:
        return Subcategory.objects.filter(slug=subcategory).values_list("pk", flat=True).first() or 0
    return subcategory.pk if isinstance(subcategory, Subcategory) else None
