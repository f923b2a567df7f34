"""The review page of a run that is up for review: source, record and form, and nothing of learning."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.flows.order import correctable_of, schema_of, source_of, sourced_of
from generation.keyset import behind, turned
from generation.models import Draft, Judgement, JudgeOutcome, Run, Subcategory
from generation.models.run import QUEUE_ORDER
from generation.verdicts import JUDGE, OUTCOMES, sentence
from review.finding import Count, Finder
from review.forms import NOTES_LIMIT, Signal, StructuredForm, Typed
from review.models import Claim, ReviewEvent, ReviewForm
from review.pages.reading import Correcting, Reading, reading
from review.pages.record import sheet
from review.pages.reviewers import Reviewers, reviewers
from review.pages.scope import Scope
from review.pages.suggestions import suggestions
from review.pages.timeline import Drawn, draw, nothing
from review.pages.today import reviewed_today
from review.queue import count_waiting, queue_of, stamp_of
from review.words import Words, words

MOST_COUNTED = 1000  # runs before this one
EVERYTHING = Scope()


@dataclass(frozen=True)
class Place:
    """Where a run stands in the queue."""

    position: int
    total: int | Count
    previous: UUID | None
    next: UUID | None
    is_far_back: bool = False  # further than was counted


@dataclass
class Workbench:
    run: Run
    draft: Draft | None
    judgement: Judgement | None
    fixes: int  # in this round, before that judgement
    reading: Reading
    typed: Typed
    form: StructuredForm | None  # bound, where a submission was refused
    saved: ReviewForm | None
    claim: Claim | None
    held_by: str  # why the form is not offered: somebody else's claim, in words
    place: Place
    today: int  # this person's reviews of the day
    stamp: str
    subcategories: list[Subcategory]
    suggestions: list[str]
    asked: ReviewEvent | None  # the review that started this round
    reviewers: Reviewers
    drawn: Drawn  # how it was made: stages, times and the judge, nothing of its prompts
    notes_limit: int = NOTES_LIMIT

    @cached_property
    def signals(self) -> list[Signal]:
        return self.typed.rows(self._doubts(), self.words)

    @cached_property
    def words(self) -> Words:
        return words(self.run.flow)

    @property
    def errors(self) -> dict[str, list[str]]:
        return (
            {name: [str(error) for error in found] for name, found in self.form.errors.items()}
            if self.form
            else {}
        )

    @property
    def is_held(self) -> bool:
        """Whether the form is not offered because somebody else holds the run, and not because of who asks."""
        return bool(self.held_by) and not self.reviewers.voted and not self.reviewers.disagree

    @property
    def blind_to_judge(self) -> bool:
        return self.reviewers.blind_to_judge

    @property
    def next_round(self) -> int:
        return self.run.round + 1

    @property
    def judged(self) -> str:
        """What the judge made of it, in words."""
        if self.judgement is None:
            return str(OUTCOMES[JudgeOutcome.SKIPPED]) if self.run.judge_outcome == JudgeOutcome.SKIPPED else ""
        return sentence(self.judgement, self.fixes)

    @property
    def unjudged(self) -> str:
        """The judge's own words, where it could not judge."""
        if self.judgement is None or self.judgement.outcome != Judgement.Outcome.UNAVAILABLE:
            return ""
        return str(self.judgement.result.get("feedback") or "")

    def _doubts(self) -> dict[str, str]:
        """What the checks found, said at the signal that it concerns."""
        doubts = {}
        if sizes := self.reading.sheet.sizes:
            names = ", ".join(row.label.lower() for row in sizes[:3])
            doubts["wrong_physical_dimensions"] = _("size check flags %s") % names
        if count := len(self.reading.sheet.unsupported):
            words = ngettext("%d value is not in the source", "%d values are not in the source", count)
            doubts["wrong_information"] = words % count
        if any(finding.get("code") == "schema" for finding in (self.draft.findings if self.draft else ())):
            doubts["bad_format"] = _("the check found errors of form")
        return doubts


def workbench(
    run: Run,
    user: User,
    *,
    claim: Claim | None = None,
    held_by: str = "",
    form: StructuredForm | None = None,
    scope: Scope = EVERYTHING,
) -> Workbench:
    """Read the page. The number of queries does not depend on how much there is."""
    drafts = list(Draft.objects.filter(run=run, revision__lte=run.revision).order_by("-revision")[:2])
    draft = drafts[0] if drafts else None
    panel = reviewers(run, user)
    judgements: list[Judgement] = []
    if draft and not panel.blind_to_judge:
        judgements = list(Judgement.objects.filter(run=run, round=draft.round).order_by("-id"))
    judgement = next((found for found in judgements if draft and found.draft_id == draft.pk), None)
    saved = ReviewForm.objects.filter(
        run=run, reviewer=user, service="", round=run.round, state=ReviewForm.State.HALF_FILLED
    ).select_related("subcategory").first()  # fmt: skip
    result = judgement.result if judgement else {}
    failed = judgement is not None and judgement.outcome == Judgement.Outcome.FAILED
    laid_out = sheet(
        draft.content if draft else {},
        source_of(run.flow, run.source),
        findings=draft.findings if draft else (),
        judged=result.get("findings") or (),
        feedback=str(result.get("feedback") or "") if failed else "",
        judge=str(JUDGE),
        before=drafts[1].content if len(drafts) > 1 and not panel.blind_to_judge else None,
        schema=schema_of(run.flow),
        sourced=sourced_of(run.flow),
    )
    typed = Typed.of_form(form, run) if form else Typed.of_saved(saved, run)
    return Workbench(
        run=run,
        draft=draft,
        judgement=judgement,
        fixes=sum(found.correction_applied for found in judgements if found != judgement),
        reading=reading(run, draft, laid_out, _correcting(run, form, typed) if claim or form else None),
        typed=typed,
        form=form,
        saved=saved,
        claim=claim,
        held_by=held_by,
        place=place_of(run, user, scope),
        today=reviewed_today(user),
        stamp=stamp_of(run),
        subcategories=list(Subcategory.objects.select_related("category").order_by("category__name", "name")),
        suggestions=suggestions(run, draft.content if draft else {}, laid_out),
        asked=_asked(run),
        reviewers=panel,
        drawn=nothing(run) if panel.blind_to_judge else draw(run),
    )


def _correcting(run: Run, form: StructuredForm | None, typed: Typed) -> Correcting:
    return Correcting(correctable_of(run.flow), typed.values, form.refused_values if form else {})


def _asked(run: Run) -> ReviewEvent | None:
    """What a person wanted mended: whoever reads the new round looks there first."""
    if run.round == 1:
        return None
    sent_back = ReviewEvent.objects.standing().filter(run=run, round=run.round - 1, decision="revise")
    return sent_back.select_related("reviewer").order_by("-id").first()


def place_of(run: Run, user: User, scope: Scope = EVERYTHING) -> Place:
    """Position and neighbours in this part of the queue, in its order."""
    key = (run.priority, run.changed_at, run.pk)
    if scope.is_looked_for:
        finder = Finder(scope.filters, user, view="waiting")
        total = finder.count()
        before, previous, next_ = finder.around(key)
        return Place(before.number + 1, total, previous, next_, is_far_back=before.is_least)
    of = {"flow": scope.filters.flow, "subcategory": scope.filters.subcategory}
    waiting = queue_of(**of)
    back = turned(QUEUE_ORDER)
    before_it = waiting.filter(behind(back, key)).order_by(*back)
    after = waiting.filter(behind(QUEUE_ORDER, key)).order_by(*QUEUE_ORDER)
    position = min(before_it[:MOST_COUNTED].count() + 1, MOST_COUNTED)
    return Place(
        position=position,
        total=count_waiting(**of),
        previous=before_it.values_list("pk", flat=True).first(),
        next=after.values_list("pk", flat=True).first(),
        is_far_back=position >= MOST_COUNTED,
    )
