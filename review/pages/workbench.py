"""The review page of a run that is up for review: source, record and form, and nothing of learning."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.flows.order import correctable_of, schema_of, source_of, sourced_of
from generation.models import Draft, Judgement, JudgeOutcome, Run, Subcategory
from review.forms import NOTES_LIMIT, Signal, StructuredForm, Typed
from review.models import Claim, ReviewEvent, ReviewForm
from review.pages.reading import Correcting, Reading, reading
from review.pages.record import sheet
from review.pages.reviewers import Reviewers, reviewers
from review.pages.suggestions import suggestions
from review.pages.timeline import Drawn, draw, nothing
from review.queue import count_waiting
from review.words import Words, words

MOST_COUNTED = 1000  # runs before this one


@dataclass(frozen=True)
class Place:
    """Where a run stands in the queue."""

    position: int  # MOST_COUNTED where it is further back
    total: int
    previous: UUID | None
    next: UUID | None

    @property
    def is_far_back(self) -> bool:
        return self.position >= MOST_COUNTED


@dataclass
class Workbench:
    run: Run
    draft: Draft | None
    judgement: Judgement | None
    reading: Reading
    typed: Typed
    form: StructuredForm | None  # bound, where a submission was refused
    saved: ReviewForm | None
    claim: Claim | None
    held_by: str  # why the form is not offered: somebody else's claim, in words
    place: Place
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
    def next_round(self) -> int:
        return self.run.round + 1

    @property
    def judged(self) -> str:
        """What the judge made of it, in words."""
        fixes = (self.judgement.cycle if self.judgement else 1) - 1
        judge = _(self.judgement.kind) if self.judgement else ""
        outcome = self.judgement.outcome if self.judgement else ""
        if outcome == Judgement.Outcome.FAILED:
            words = ngettext(
                "%(judge)s failed it after %(fixes)d fix", "%(judge)s failed it after %(fixes)d fixes", fixes
            )
            return words % {"judge": judge, "fixes": fixes} if fixes else _("%s failed it") % judge
        if outcome == Judgement.Outcome.UNAVAILABLE:
            return _("%s could not judge it") % judge
        if outcome == Judgement.Outcome.PASSED:
            return _("%s passed it after a fix") % judge if fixes else _("%s passed it the first time") % judge
        return _("not judged") if self.run.judge_outcome == JudgeOutcome.SKIPPED else ""

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


def judge_name(judgement: Judgement | None) -> str:
    return _(judgement.kind).capitalize() if judgement else _("Judge")


def workbench(
    run: Run,
    user: User,
    *,
    claim: Claim | None = None,
    held_by: str = "",
    form: StructuredForm | None = None,
) -> Workbench:
    """Read the page. The number of queries does not depend on how much there is."""
    drafts = list(Draft.objects.filter(run=run, revision__lte=run.revision).order_by("-revision")[:2])
    draft = drafts[0] if drafts else None
    panel = reviewers(run, user)
    judged = None if panel.blind_to_judge else draft
    judgement = Judgement.objects.filter(run=run, draft=judged).order_by("-id").first() if judged else None
    saved = ReviewForm.objects.filter(
        run=run, reviewer=user, service="", round=run.round, state=ReviewForm.State.HALF_FILLED
    ).select_related("subcategory").first()  # fmt: skip
    result = judgement.result if judgement else {}
    passed = judgement is not None and judgement.outcome == Judgement.Outcome.PASSED
    laid_out = sheet(
        draft.content if draft else {},
        source_of(run.flow, run.source),
        findings=draft.findings if draft else (),
        judged=result.get("findings") or (),
        feedback="" if passed else str(result.get("feedback") or ""),
        judge=judge_name(judgement),
        before=drafts[1].content if len(drafts) > 1 and not panel.blind_to_judge else None,
        schema=schema_of(run.flow),
        sourced=sourced_of(run.flow),
    )
    typed = Typed.of_form(form, run) if form else Typed.of_saved(saved, run)
    return Workbench(
        run=run,
        draft=draft,
        judgement=judgement,
        reading=reading(run, draft, laid_out, _correcting(run, form, typed) if claim or form else None),
        typed=typed,
        form=form,
        saved=saved,
        claim=claim,
        held_by=held_by,
        place=place_of(run),
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


def place_of(run: Run) -> Place:
    """Position and neighbours in the queue, the oldest first."""
    waiting = Run.objects.up_for_review()
    before = waiting.filter(Q(changed_at__lt=run.changed_at) | Q(changed_at=run.changed_at, id__lt=run.pk))
    after = waiting.filter(Q(changed_at__gt=run.changed_at) | Q(changed_at=run.changed_at, id__gt=run.pk))
    return Place(
        position=min(before.order_by("changed_at", "id")[:MOST_COUNTED].count() + 1, MOST_COUNTED),
        total=count_waiting(),
        previous=before.order_by("-changed_at", "-id").values_list("pk", flat=True).first(),
        next=after.order_by("changed_at", "id").values_list("pk", flat=True).first(),
    )
