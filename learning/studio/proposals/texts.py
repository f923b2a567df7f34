"""A proposal's words without a provider: templates, and the cause in one sentence."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from generation import material
from generation.models import Subcategory
from generation.sanitizer import one_line
from learning.models import Proposal
from learning.models.proposal import LONGEST_TEXT
from learning.studio.proposals.rules import LONGEST_KEY
from review.words import label

Cause = Proposal.Cause
# {lead}: the one subcategory where it holds, else nothing. {guidance}: what the signal's guidance says now.
TEMPLATES: Mapping[str, str] = {
    Cause.STAYED_ON: "{lead}{guidance}",
    Cause.CAME_BACK: "{lead}{guidance} Go through this once more before you answer: it keeps going wrong.",
    "field": '{lead}Look for "{field}" first, and see before you answer that it is there if it can be found.',
}
LEAD = "In {subcategory}: "

SENTENCES: Mapping[str, tuple[Promise, Promise]] = {  # of one subcategory, of several
    Cause.CAME_BACK: (
        gettext_lazy("“%(what)s” came back in %(count)d of the last %(of)d runs of %(where)s "
                     "whose prompts had its guidance."),
        gettext_lazy("“%(what)s” came back in %(where)s although prompts there had its guidance."),
    ),
    Cause.STILL_MISSING: (
        gettext_lazy("“%(what)s” was missing again in %(count)d of the last %(of)d runs of %(where)s "
                     "whose prompts asked for it."),
        gettext_lazy("“%(what)s” was missing again in %(where)s although prompts there asked for it."),
    ),
    Cause.STAYED_ON: (
        gettext_lazy("“%(what)s” was on after each of the last %(of)d reviewed runs of %(where)s."),
        gettext_lazy("“%(what)s” was on in %(where)s after each of the last reviewed runs."),
    ),
}  # fmt: skip


def template(cause: str, *, field: str, guidance: str, subcategory: Subcategory | None) -> str:
    """guidance: without the places that words are filled into. What reviewers and admins named is sanitized."""
    lead = LEAD.format(subcategory=material.name(subcategory.name)) if subcategory else ""
    said = TEMPLATES["field" if field else cause]
    parts = {"lead": lead, "guidance": guidance, "field": one_line(field.replace('"', ""), LONGEST_KEY)}
    return said.format(**parts)[:LONGEST_TEXT]


def sentence(proposal: Proposal, names: Mapping[int, str]) -> str:
    """The cause, for people. names: of the subcategories in its figures."""
    what = proposal.field or label(proposal.flow, proposal.signal)
    one, several = SENTENCES[proposal.cause]
    figures = proposal.figures
    if len(figures) == 1:
        figure = figures[0]
        where = names.get(figure["subcategory"], "?")
        return str(one) % {"what": what, "where": where, "count": figure["count"], "of": figure["of"]}
    return str(several) % {"what": what, "where": gettext("%d subcategories") % len(figures)}
