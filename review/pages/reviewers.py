"""A run that several people review: which review this one is, and, for who decides, all of them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.models import Run
from review import panel
from review.blindness import sees_judge
from review.correcting import as_text
from review.history import corrections
from review.models import SIGNALS, ReviewForm
from review.people import name_of
from review.words import label


@dataclass(frozen=True)
class Said:
    """One line of the comparison: what each reviewer says of one thing, in their order.

    decides: whether they disagree where they differ here; free: their own words, which always differ.
    """

    label: str
    texts: list[str]
    decides: bool = False
    free: bool = False

    @property
    def differs(self) -> bool:
        return not self.free and len(set(self.texts)) > 1


@dataclass(frozen=True)
class Reviewers:
    """number: which of the reviews this person's would be. said: for an adjudicator alone, what differs first."""

    needed: int
    number: int
    disagree: bool
    blind_to_judge: bool
    says_blind: bool  # so by an admin's rule: of one that was drawn for it, nothing is said
    voted: bool  # this person has reviewed it
    own: bool  # four eyes are required, and it is this person's making
    names: list[str] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    @property
    def head(self) -> str:
        """For the head of the page; nothing where one person reviews it and sees everything."""
        if self.disagree:
            return _("reviewers disagree")
        if self.voted and self.needed > 1:
            return _("%(done)d of %(needed)d reviews are in") % {"done": self.number - 1, "needed": self.needed}
        if self.needed > 1:
            return _("review %(number)d of %(needed)d, blind") % {"number": self.number, "needed": self.needed}
        return _("blind to the judge") if self.says_blind else ""

    @property
    def adjudicates(self) -> bool:
        return bool(self.names)

    @property
    def is_last(self) -> bool:
        return self.disagree or self.number >= self.needed

    @property
    def next_step(self) -> str:
        """What comes of submitting, where it does not decide."""
        if self.is_last:
            return ""
        nth = {2: _("second"), 3: _("third")}.get(self.number + 1, _("next"))
        return _("It waits for a %s reviewer, who does not see it") % nth

    @property
    def outcome(self) -> str:
        """What comes of the last review of several."""
        if self.needed == 1:
            return ""
        if self.disagree:
            return _("Your decision takes effect")
        words = ngettext(
            "Takes effect if the other reviewer says the same; else an adjudicator decides",
            "Takes effect if the other %d reviewers say the same; else an adjudicator decides",
            self.needed - 1,
        )
        return words % (self.needed - 1) if self.needed > 2 else words


def reviewers(run: Run, user: User) -> Reviewers:
    """At most three queries; none where one person reviews the run and sees everything."""
    forms: list[ReviewForm] = []
    if panel.adjudicates(run, user):
        forms = list(panel.votes(run).select_related("reviewer", "subcategory", "run"))
    blind = not sees_judge(run, user)
    return Reviewers(
        needed=(run.reviews_needed or 1) if run.needs_several else 1,
        number=run.reviews_done + 1,
        disagree=run.reviewers_disagree,
        blind_to_judge=blind,
        says_blind=blind and panel.asks_blindness(run),
        voted=run.needs_several and panel.has_voted(run, user),
        own=run.four_eyes and panel.is_own(run, user),
        names=[name_of(form.reviewer) for form in forms if form.reviewer],
        said=_said(run, forms),
    )


def _said(run: Run, forms: Sequence[ReviewForm]) -> list[Said]:
    """What differs first; what nobody says anything of is left out."""
    if not forms:
        return []
    yes_or_no = {True: _("yes"), False: _("no"), None: ""}
    changed = [corrections(form) for form in forms]
    values = [{one["label"]: as_text(one["to"]) for one in found.get("values", [])} for found in changed]
    places = [form.subcategory.name if form.subcategory else None for form in forms]
    lines = [
        Said(_("Decision"), [form.get_decision_display().capitalize() for form in forms], decides=True),
        *(Said(label(run.flow, name), [yes_or_no[getattr(form, name)] for form in forms]) for name in SIGNALS),
        Said(label(run.flow, "missing_spec"), [", ".join(form.missing_spec) for form in forms]),
        Said(_("Subcategory"), _corrected(places), True),
        *(
            Said(name, _corrected([found.get(name) for found in values]), True)
            for name in dict.fromkeys(name for found in values for name in found)
        ),
        Said(_("Notes"), [form.notes for form in forms], free=True),
    ]
    told = [line for line in lines if any(line.texts)]
    return sorted(told, key=lambda line: (not line.differs, not line.decides))


def _corrected(texts: Sequence[str | None]) -> list[str]:
    """What each puts in the place of what stands there; nothing where nobody does."""
    if not any(text is not None for text in texts):
        return []
    return [_("left as it is") if text is None else text or _("empty") for text in texts]
