"""What people read of a judgement: one table, in the same words for every judge and in every place."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from generation.models import Judgement, JudgeOutcome, Run
from generation.reasons import WORDS, plain

JUDGE = gettext_lazy("Judge")  # who says a finding, whatever the judge's kind is
# What became of a run's record, by its judge_outcome.
OUTCOMES: Mapping[str, str | Promise] = {
    JudgeOutcome.PASSED: gettext_lazy("The judge passed it the first time"),
    JudgeOutcome.CORRECTED: gettext_lazy("The judge passed it at a later attempt"),
    JudgeOutcome.FAILED: gettext_lazy("The judge failed it"),
    JudgeOutcome.NEEDS_HUMAN_REVIEW: gettext_lazy("The judge failed it after its last fix"),
    JudgeOutcome.UNAVAILABLE: gettext_lazy("The judge could not judge it"),
    JudgeOutcome.SKIPPED: gettext_lazy("Not judged"),
}


def sentence(judgement: Judgement, fixes: int) -> str:
    """What the judge made of a draft. fixes: those that its judgements asked for before, in the same round."""
    if judgement.outcome == Judgement.Outcome.UNAVAILABLE:
        return could_not(judgement.result)
    if judgement.outcome == Judgement.Outcome.PASSED:
        words = ngettext(
            "The judge passed it after %(fixes)d fix", "The judge passed it after %(fixes)d fixes", fixes
        )
        return words % {"fixes": fixes} if fixes else _("The judge passed it the first time")
    words = ngettext("The judge failed it after %(fixes)d fix", "The judge failed it after %(fixes)d fixes", fixes)
    return words % {"fixes": fixes} if fixes else _("The judge failed it")


def short(outcome: str, code: str = "") -> str:
    """A judgement's outcome behind a name that says who judged. code: why it could not."""
    if outcome == Judgement.Outcome.UNAVAILABLE:
        return _with(_("could not judge it"), plain(code) if code else "")
    return _("passed") if outcome == Judgement.Outcome.PASSED else _("failed it")


def could_not(result: Mapping[str, Any]) -> str:
    """That the judge could not judge, and why. result: of the judgement."""
    return _with(str(OUTCOMES[JudgeOutcome.UNAVAILABLE]), _why(result.get("code"), result.get("feedback")))


def ended(error: Mapping[str, Any] | None, *, unjudged: bool) -> str:
    """Why a run waits or ended as it did, in plain words; nothing where it has no error.

    unjudged: whether its outcome is that the judge could not judge.
    """
    if not error:
        return ""
    code = error.get("code")
    if not unjudged:
        return plain(str(code or ""))
    cause = error.get("cause") or ("" if code == "judge_unavailable" else code)
    return _with(str(OUTCOMES[JudgeOutcome.UNAVAILABLE]), _why(cause, error.get("detail")))


def detail(run: Run) -> str:
    """Of the error that a run has; where the judge could not judge, that, in plain words."""
    if run.is_unjudged:
        return ended(run.error, unjudged=True)
    return str((run.error or {}).get("detail") or "")


def _why(code: Any, detail: Any) -> str:
    """In words that are known here, else as the judge told it."""
    return plain(code) if code in WORDS else str(detail or "") or plain(str(code or ""))


def _with(said: str, why: str) -> str:
    """One sentence of two."""
    if not why:
        return said
    return _("%(said)s: %(why)s") % {"said": said, "why": why[:1].lower() + why[1:]}
