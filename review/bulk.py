"""One thing done to many runs: those that were chosen, or all that a list's filters match, so many at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl
from uuid import UUID

import structlog
from celery import current_app
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import runs
from generation.errors import BadInput, Conflict
from generation.models import Run
from generation.models.run import IN_PROGRESS, RETRYABLE, UP_FOR_REVIEW, WITH_RECORD
from review import assigning, setting_aside
from review.filters import Filters
from review.finding import Count, Finder
from review.groups import CAN_PLACE, CAN_REVIEW, CAN_STEER
from review.models import BulkAct

log = structlog.get_logger(__name__)
Kind = BulkAct.Kind
EVERYBODY = "*"
AT_ONCE = 200  # more are done by a task
CHUNK = 100
RIGHTS: Mapping[str, str] = {
    Kind.ASSIGN: CAN_PLACE,
    Kind.SET_ASIDE: CAN_PLACE,
    Kind.PUT_BACK: CAN_PLACE,
    Kind.RETRY: CAN_STEER,
    Kind.CANCEL: CAN_STEER,
}
POSSIBLE: Mapping[str, Q] = {
    Kind.ASSIGN: UP_FOR_REVIEW,
    Kind.RETRY: Q(shown_status__in=RETRYABLE),
    Kind.CANCEL: Q(status__in=IN_PROGRESS),
    Kind.SET_ASIDE: Q(set_aside=False) & (WITH_RECORD | Q(status__in=IN_PROGRESS)),
    Kind.PUT_BACK: Q(set_aside=True),
}


@dataclass(frozen=True)
class Wanted:
    """What somebody asked for: an act, and on which runs."""

    kind: Kind
    runs: tuple[UUID, ...] = ()
    query: str | None = None  # the list's address; None: the runs named
    person: str = ""  # whom to assign to, by user name; "*": back to everybody; empty: not said yet
    why: str = ""

    def check(self, by: User) -> None:
        """PermissionDenied without the right; BadInput where it cannot be done to any run."""
        if not by.has_perm(RIGHTS[self.kind]):
            raise PermissionDenied
        if self.query is None and not self.runs:
            raise BadInput.at("/run", _("Choose at least one run."))
        if self.kind == Kind.ASSIGN and self.person not in ("", EVERYBODY) and self.assignee() is None:
            raise BadInput.at("/person", _("There is no reviewer of this name."))
        if self.query is not None and Filters.of(dict(parse_qsl(self.query))).view == "reviewed":
            raise BadInput.at("/all", _("Choose the runs: this view lists reviews."))

    def assignee(self) -> User | None:
        person = User.objects.filter(username=self.person, is_active=True).first()
        return person if person is not None and person.has_perm(CAN_REVIEW) else None

    def count(self, by: User) -> Count:
        """How many runs of those it would be done to, at most 1,000 of them."""
        if self.query is None:
            return Count(len(_possible(self.kind, self.runs)))
        return self.finder(by).count(POSSIBLE[self.kind])

    def finder(self, by: User) -> Finder:
        return Finder(Filters.of(dict(parse_qsl(self.query or ""))), by)


def start(wanted: Wanted, by: User, *, total: int) -> BulkAct:
    """Keep what was confirmed, and do it: at once where it is little, else by a task. BadInput as `check`."""
    wanted.check(by)
    if wanted.kind == Kind.ASSIGN and not wanted.person:
        raise BadInput.at("/person", _("Choose a person."))
    act = BulkAct.objects.create(
        kind=wanted.kind,
        by=by,
        total=total,
        wanted={
            "runs": [str(run_id) for run_id in wanted.runs],
            "query": wanted.query,
            "person": wanted.person,
            "why": wanted.why,
        },
    )
    if (wanted.query is None and len(wanted.runs) <= AT_ONCE) or (wanted.query is not None and total <= AT_ONCE):
        while go_on(act.pk):
            pass
    else:
        transaction.on_commit(lambda: current_app.send_task("review.tasks.do_bulk", [act.pk]), robust=True)
    act.refresh_from_db()
    log.info("bulk_act", kind=act.kind, total=total, done=act.done, refused=act.refused)
    return act


def go_on(act_id: int) -> bool:
    """The next so many runs of an act; whether there are more. Safe to run again after a kill at any point.

    Each run is an act of its own, which a second time refuses; where it goes on is kept with the last of them.
    """
    with transaction.atomic():
        act = BulkAct.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=act_id).first()
        if act is None or act.finished_at is not None:
            return False
        ids, cursor = _next(act)
        done = _do(act, ids)
        BulkAct.objects.filter(pk=act_id).update(
            looked_at=F("looked_at") + len(ids),
            done=F("done") + done,
            refused=F("refused") + len(ids) - done,
            cursor=cursor,
            finished_at=None if cursor else Now(),
        )
    return bool(cursor)


def _next(act: BulkAct) -> tuple[list[UUID], str]:
    """The next runs, and where to go on; empty at the end."""
    if act.wanted["query"] is None:
        at = int(act.cursor or 0)
        named = [UUID(run_id) for run_id in act.wanted["runs"]]
        more = str(at + CHUNK) if at + CHUNK < len(named) else ""
        return named[at : at + CHUNK], more
    found = _wanted(act).finder(act.by).page(CHUNK, act.cursor)
    return _possible(act.kind, found.ids), found.next_cursor


def _wanted(act: BulkAct) -> Wanted:
    named = act.wanted
    return Wanted(Kind(act.kind), query=named["query"], person=named["person"], why=named["why"])


def _possible(kind: str, ids: Sequence[UUID]) -> list[UUID]:
    """Those of the runs that the act can be done to, in the order given."""
    kept = set(Run.objects.filter(POSSIBLE[kind], pk__in=ids).values_list("pk", flat=True))
    return [run_id for run_id in dict.fromkeys(ids) if run_id in kept]


def _do(act: BulkAct, ids: list[UUID]) -> int:
    """Do it to each; how many it could be done to."""
    wanted = _wanted(act)
    if act.kind == Kind.ASSIGN:
        person = wanted.assignee()
        return assigning.assign(ids, person, act.by) if person or wanted.person == EVERYBODY else 0
    each: dict[str, Callable[[UUID], object]] = {
        Kind.RETRY: runs.retry,
        Kind.CANCEL: runs.cancel,
        Kind.SET_ASIDE: lambda run_id: setting_aside.set_aside(run_id, act.by, wanted.why),
        Kind.PUT_BACK: lambda run_id: setting_aside.put_back(run_id, act.by, wanted.why),
    }
    done = 0
    for run_id in ids:
        try:
            with transaction.atomic():
                each[act.kind](run_id)
        except (Conflict, Run.DoesNotExist):
            continue
        done += 1
    return done
