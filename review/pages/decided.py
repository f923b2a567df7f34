"""The page of a run that nobody has to review now: its record, what people said, and how it was made."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count

from generation.blind import drafts_seen
from generation.flows.order import schema_of, source_of, sourced_of
from generation.models import Call, Draft, Judgement, Run, Status
from generation.models.run import RETRYABLE
from generation.verdicts import JUDGE, ended
from review import setting_aside
from review.blindness import sees_judge, sees_reviews, shown_rounds
from review.groups import CAN_LEAVE_OUT, CAN_STEER
from review.models import ReviewEvent, ReviewForm
from review.pages.chronicle import Entry, chronicle
from review.pages.reading import Reading, reading
from review.pages.record import Sheet, sheet
from review.pages.timeline import Drawn, draw, nothing


@dataclass(frozen=True)
class Decided:
    run: Run
    reading: Reading
    drafts: list[Draft]
    events: list[ReviewEvent]
    unwritten: list[ReviewForm]  # submitted, their history entry not yet written
    judgements: list[Judgement]
    calls: list[Call]
    drawn: Drawn
    chronicle: list[Entry]
    shown: set[int]  # rounds whose prompts this person may see
    typed: list[tuple[str, str]]  # what a refused submission had, so that nothing typed is lost
    aside: str  # who took it out of the queue and why, where somebody did
    blind_to_judge: bool
    may_retry: bool
    may_review_again: bool
    may_leave_out: set[int]  # ids of reviews that count in learning, and that this person may take out of it

    @property
    def reason(self) -> str:
        """Why it ended as it did, in plain words."""
        return ended(self.run.error, unjudged=self.run.is_unjudged)


def decided(run: Run, user: User, *, typed: list[tuple[str, str]] | None = None) -> Decided:
    drafts = list(drafts_seen(run, user).select_related("author").order_by("-revision"))
    newest = next((draft for draft in drafts if draft.revision == run.revision), None)
    again = run.status in (Status.APPROVED, Status.REJECTED) and user.has_perm("generation.adjudicate_run")
    shown = shown_rounds(user, run)
    judge = sees_judge(run, user)
    for draft in drafts if not judge else ():
        draft.made_by = ""  # a stage that mends; never saved
    judged = Judgement.objects.filter(run=run) if judge else Judgement.objects.none()
    judgements = list(judged.select_related("draft").order_by("id"))
    last = next((found for found in reversed(judgements) if newest and found.draft_id == newest.pk), None)
    made = Call.objects.filter(run=run) if judge else Call.objects.none()
    asked = made.select_related("prompt_version").defer("request")
    calls: list[Call] = list(asked.annotate(injected=Count("injections")).order_by("id"))
    said = ReviewEvent.objects.filter(run=run) if sees_reviews(run, user) else run.review_events.visible_to(user)
    events = list(said.select_related("reviewer", "undoes", "draft").order_by("id"))
    return Decided(
        run=run,
        reading=reading(run, newest, _sheet(run, newest, last)),
        drafts=drafts,
        events=events,
        unwritten=_unwritten(run, user),
        judgements=judgements,
        calls=calls,
        chronicle=chronicle(
            run, drafts=drafts, judgements=judgements, calls=calls, events=events, shown=shown, judge=judge
        ),
        drawn=draw(run, shown=shown, linked=shown) if judge else nothing(run),
        shown=shown,
        typed=typed or [],
        aside=setting_aside.words(run) if run.set_aside else "",
        blind_to_judge=not judge,
        may_retry=run.status in RETRYABLE and user.has_perm(CAN_STEER),
        may_review_again=again,
        may_leave_out=_may_leave_out(run, user),
    )


def _sheet(run: Run, draft: Draft | None, judgement: Judgement | None) -> Sheet:
    """What the check and the judge found at its place; the judge's own words stand under "Judged"."""
    return sheet(
        draft.content if draft else {},
        source_of(run.flow, run.source),
        findings=draft.findings if draft else (),
        judged=(judgement.result.get("findings") or ()) if judgement else (),
        judge=str(JUDGE),
        schema=schema_of(run.flow) if draft else None,
        sourced=sourced_of(run.flow),
    )


def _unwritten(run: Run, user: User) -> list[ReviewForm]:
    """Reviews that this person may know and whose events are not written yet."""
    forms = ReviewForm.objects.filter(run=run, state=ReviewForm.State.SUBMITTED, event__isnull=True)
    if not sees_reviews(run, user):
        forms = forms.filter(reviewer=user)
    return list(forms.select_related("reviewer").order_by("submitted_at"))


def _may_leave_out(run: Run, user: User) -> set[int]:
    """One's own; all of them with the permission."""
    counting = ReviewEvent.objects.counting().filter(run=run)
    if not user.has_perm(CAN_LEAVE_OUT):
        counting = counting.filter(reviewer=user)
    return set(counting.values_list("pk", flat=True))
