"""The queue: claims on runs that wait for a person, and the list of them. All times are the database's."""

import base64
import binascii
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.blind import without_judge
from generation.errors import BadInput, Conflict
from generation.keyset import behind
from generation.models import Run, Status, Subcategory
from generation.models.run import QUEUE_ORDER, Priority, RunQuerySet
from review import assigning, blindness, panel, setting_aside
from review.groups import CAN_ADJUDICATE
from review.models import Claim, Tally
from review.panel import MAY_REVIEW
from review.people import name_of
from review.reasons import Why

log = structlog.get_logger(__name__)

_OPEN = (
    "NOT r.set_aside"
    " AND (r.status IN ('awaiting_review', 'needs_human_review') OR (r.revision >= 1 AND r.status = 'failed'))"
    " AND (%(flow)s::text IS NULL OR r.flow = %(flow)s)"
    " AND (%(subcategory)s::bigint IS NULL OR r.subcategory_id = %(subcategory)s)"
    " AND r.id <> ALL(%(exclude)s::uuid[])"
    f" AND {MAY_REVIEW}"
)
_FREE = "NOT EXISTS (SELECT FROM review_claim c WHERE c.run_id = r.id AND c.expires_at > statement_timestamp())"
# One statement of at most three probes, each over an index and ending at its first row: the reviewer's own live
# claim, else what was assigned to them first, else the first of the queue that is assigned to nobody. A claim that
# was committed between this statement's snapshot and its row lock shows in ON CONFLICT: picked, but not taken.
_CLAIM_NEXT = f"""
WITH own AS (
  SELECT r.id FROM review_claim c JOIN generation_run r ON r.id = c.run_id
  WHERE c.reviewer_id = %(reviewer)s AND c.expires_at > statement_timestamp() AND {_OPEN}
  ORDER BY c.created_at, c.id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
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
  RETURNING held.id
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
) -> Claim | None:
    """The run that `reviewer` should look at next, claimed for `seconds`; None where nothing waits.

    A live claim of their own is renewed and comes first, except on runs in `exclude` (skipped ones, or
    the one on screen while the next is prefetched); then what is assigned to them; then the queue in its
    order (`QUEUE_ORDER`). Two reviewers never get the same run.
    """
    wanted = {
        "reviewer": reviewer.pk,
        "adjudicates": reviewer.has_perm(CAN_ADJUDICATE),
        "flow": flow or None,
        "subcategory": _subcategory_id(subcategory),
        "seconds": settings.CLAIM_SECONDS if seconds is None else seconds,
        "exclude": list(exclude),
    }
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM_NEXT, wanted)
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
        run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
        if stamp and stamp != stamp_of(run):
            raise Conflict(_("This run has changed."))
        refuse_unless_open(run, reviewer)
        refuse_if_held(run, reviewer)
        return hold(run, reviewer, seconds=seconds)


def hold(run: Run, reviewer: User, *, seconds: float | None = None) -> Claim:
    """Write the claim of a run that the caller has locked and found free."""
    length = timedelta(seconds=settings.CLAIM_SECONDS if seconds is None else seconds)
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
        run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
        refuse_unless_open(run, reviewer)
        refuse_if_held(run, reviewer)
        if not Claim.objects.filter(run=run).exists():
            raise Conflict(_("You do not hold this run any more."))
        return hold(run, reviewer, seconds=seconds)


def release(run_id: UUID, reviewer: User) -> None:
    """Give a run back; nothing happens where it is not held."""
    Claim.objects.filter(run_id=run_id, reviewer=reviewer).delete()


def free(run_id: UUID) -> bool:
    """Take a run from whoever holds it; False where nobody does. The caller may do so (review.delete_claim)."""
    claims = Claim.objects.filter(run_id=run_id)
    freed = claims.filter(expires_at__gt=Now()).exists()
    claims.delete()
    if freed:
        log.info("claim_released", run=str(run_id))
    return freed


def refuse_unless_open(run: Run, reviewer: User | None) -> None:
    """Conflict where this run is not up for review by this person; decided runs are open to adjudicators."""
    if run.is_up_for_review:
        panel.refuse_unless_due(run, reviewer)
        return
    if run.set_aside and run.has_record_to_review:
        raise Conflict(setting_aside.words(run))
    status = run.get_status_display()
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


@dataclass(frozen=True)
class Row:
    """One line of the list. `run` comes without its source, options, metadata and trigger state."""

    run: Run
    why: Why
    holder: str  # the name of who holds it, empty where it is free
    holder_id: int | None
    expires_at: datetime | None


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    next_cursor: str | None


def waiting(
    *,
    flow: str | None = None,
    subcategory: Subcategory | str | None = None,
    cursor: str | None = None,
    limit: int = 50,
    viewer: User | None = None,
) -> Page:
    """Runs up for review in the order in which they are offered, by key; at the end those that are assigned and
    so are offered to their person alone; as `viewer` may know them. A fixed number of queries, however many rows,
    and one more where some hide their judge.
    """
    runs = queue_of(flow, subcategory)
    if cursor:
        runs = runs.filter(behind(QUEUE_ORDER, _read_cursor(cursor)))
    found = list(
        runs.select_related("subcategory__category")
        .defer("source", "options", "metadata", "trigger_state")
        .order_by(*QUEUE_ORDER)[: limit + 1]
    )
    shown = found[:limit]
    claims = Claim.objects.filter(run__in=[run.pk for run in shown], expires_at__gt=Now())
    seen = blindness.judge_seen(shown, viewer)
    held = {claim.run_id: claim for claim in claims.select_related("reviewer")}
    return Page(
        rows=[_row(run if run.pk in seen else without_judge(run), held.get(run.pk)) for run in shown],
        next_cursor=_cursor(shown[-1]) if len(found) > limit else None,
    )


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


def _row(run: Run, claim: Claim | None) -> Row:
    return Row(
        run=run,
        why=Why.of(run),
        holder=name_of(claim.reviewer) if claim else "",
        holder_id=claim.reviewer_id if claim else None,
        expires_at=claim.expires_at if claim else None,
    )


def _cursor(run: Run) -> str:
    key = json.dumps([run.priority, run.changed_at.isoformat(), str(run.pk)])
    return base64.urlsafe_b64encode(key.encode()).decode()


def _read_cursor(cursor: str) -> tuple[int, datetime, UUID]:
    try:
        priority, at, run_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise ValueError(at)
        return Priority(priority).value, moment, UUID(run_id)
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        raise BadInput.at("/cursor", _("Not a cursor of this list.")) from error
