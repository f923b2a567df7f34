"""The people who review a run that needs two or more: who has, who may still, and what their reviews come to."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db import connection, migrations
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from generation.errors import Conflict
from generation.models import Draft, Run
from generation.models.run import IN_PROGRESS, WITH_RECORD
from review import history
from review.groups import CAN_ADJUDICATE
from review.models import Decision, ReviewForm, ReviewPolicy

Outcome = Literal["decided", "waits", "disagree"]

SQL = Path(__file__).with_suffix(".sql")
# Whose turn a run is: nothing is looked up but for runs that somebody has reviewed, and those with four eyes.
MAY_REVIEW = (
    "(r.reviews_done = 0 OR ((NOT r.reviewers_disagree OR %(adjudicates)s) AND NOT EXISTS ("
    "SELECT FROM review_reviewform v WHERE v.run_id = r.id AND v.reviewer_id = %(reviewer)s AND v.round = r.round"
    " AND v.revision = r.revision AND v.state = 'submitted')))"
    " AND (NOT r.four_eyes OR (r.author_id IS DISTINCT FROM %(reviewer)s AND NOT EXISTS ("
    "SELECT FROM generation_draft d WHERE d.run_id = r.id AND d.author_id = %(reviewer)s AND d.round < r.round)))"
)
_DUE = f"SELECT r.id FROM generation_run r WHERE r.id = ANY(%(ids)s) AND {MAY_REVIEW}"  # noqa: S608 - a constant
_REMOVE = """
DROP TRIGGER review_rules ON generation_run;
DROP FUNCTION foldback_review_rules();
"""


def install(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the trigger, which looks up what is asked of a run's reviews."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def renew(before: Path, after: Path = SQL) -> migrations.RunSQL:
    """The migration operation that puts the trigger in the place of the one before."""
    return migrations.RunSQL(_REMOVE + after.read_text(), _REMOVE + before.read_text())


def apply(policy: ReviewPolicy) -> None:
    """Look up anew what is asked of the runs that this policy is for, but those that somebody has reviewed."""
    runs = Run.objects.filter(WITH_RECORD | Q(status__in=IN_PROGRESS), reviews_done=0)
    whose = Q(batch=policy.batch_id) if policy.batch_id else Q(flow=policy.flow)
    runs.filter(whose).update(reviews_needed=None)


def asks_blindness(run: Run) -> bool:
    """Whether an admin asks that all such runs be reviewed blind to the judge: then pages may say so."""
    if not run.drawn_blind:
        return run.blind_to_judge
    of_batch = Q(batch=run.batch_id) if run.batch_id else Q(pk__in=[])
    policies = ReviewPolicy.objects.filter(of_batch | Q(flow=run.flow, batch=None))
    asked = policies.order_by(F("batch").asc(nulls_last=True)).values_list("blind_to_judge", flat=True).first()
    return bool(asked)


def votes(run: Run) -> QuerySet[ReviewForm]:
    """The reviews that people have submitted of the draft that is up for review."""
    forms = ReviewForm.objects.filter(run=run, round=run.round, revision=run.revision, reviewer__isnull=False)
    return forms.filter(state=ReviewForm.State.SUBMITTED).order_by("submitted_at", "pk")


def has_voted(run: Run, user: User) -> bool:
    return run.reviews_done > 0 and votes(run).filter(reviewer=user).exists()


def adjudicates(run: Run, user: User) -> bool:
    """Whether this person decides between the reviewers of this run: never one of them."""
    return run.reviewers_disagree and user.has_perm(CAN_ADJUDICATE) and not has_voted(run, user)


def due(run_ids: Collection[UUID], person: User) -> set[UUID]:
    """Those of these runs that it is for this person to review."""
    wanted: dict[str, Any] = {"ids": list(run_ids), "reviewer": person.pk}
    wanted["adjudicates"] = person.has_perm(CAN_ADJUDICATE)
    with connection.cursor() as cursor:
        cursor.execute(_DUE, wanted)
        return {row[0] for row in cursor.fetchall()}


def refuse_unless_due(run: Run, reviewer: User | None) -> None:
    """Conflict where it is not for this person to review a run that needs several. The run is up for review."""
    if reviewer is None or not run.needs_several or not run.reviews_done:
        return
    if run.reviewers_disagree and not reviewer.has_perm(CAN_ADJUDICATE):
        raise Conflict(_("The reviewers of this run disagree; an adjudicator decides."))
    if has_voted(run, reviewer):
        if run.reviewers_disagree:
            raise Conflict(_("You are one of the reviewers who disagree; another adjudicator decides this run."))
        raise Conflict(_("You have reviewed this run; another reviewer decides next."))


def refuse_own(run: Run, reviewer: User | None, decision: str) -> None:
    """Conflict where somebody would approve what is their own making, and four eyes are required."""
    if run.four_eyes and reviewer is not None and decision == Decision.APPROVE and is_own(run, reviewer):
        raise Conflict(_("This run is of your own making: four eyes are required, somebody else approves it."))


def is_own(run: Run, user: User) -> bool:
    """Whether this person had it made, or corrected its record in an earlier round."""
    return run.author_id == user.pk or Draft.objects.filter(run=run, author=user, round__lt=run.round).exists()


def outcome(run: Run, form: ReviewForm, others: Collection[ReviewForm]) -> Outcome:
    """What this review brings about, with the other people's. A service is none of the reviewers."""
    if not run.needs_several:
        return "decided"
    if form.reviewer_id is None:
        return "waits"
    if run.reviewers_disagree:
        return "decided"
    if len(others) + 1 < (run.reviews_needed or 1):
        return "waits"
    return "decided" if agree([*others, form]) else "disagree"


def agree(forms: Sequence[ReviewForm]) -> bool:
    """Whether all say the same: the decision, and what was corrected, unless nothing comes of it."""
    if len({form.decision for form in forms}) > 1:
        return False
    if forms[0].decision == Decision.REJECT:
        return True
    first, *rest = [_corrected(form) for form in forms]
    return all(one == first for one in rest)


def _corrected(form: ReviewForm) -> tuple[str | None, dict[str, object]]:
    found = history.corrections(form)
    return (
        found.get("subcategory", {}).get("to"),
        {value["pointer"]: value["to"] for value in found.get("values", [])},
    )


def begin(run: Run) -> None:
    """Remember where the reviews begin that wait for others, before the first of them is in the history."""
    if run.reviews_from is None:
        run.reviews_from = history.next_sequence(run.pk)
        Run.objects.filter(pk=run.pk).update(reviews_from=run.reviews_from)
