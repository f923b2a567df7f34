"""Why a run waits, failed or was stopped, in plain words: by the code of its error."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Mapping[str, str | Promise] = {
    "timeout": _("The provider took too long to answer"),
    "unreachable": _("The provider could not be reached"),
    "rate_limited": _("The provider limits how much it may be asked"),
    "overloaded": _("The provider is overloaded"),
    "refused": _("The provider refused to answer"),
    "truncated": _("The answer was cut off"),
    "malformed": _("The answer could not be read"),
    "unauthorized": _("The provider does not accept the key or the account"),
    "batch_cancelled": _("The provider was asked to cancel it"),
    "bad_request": _("The provider refuses the request as it is"),
    "not_configured": _("The provider is not set up"),
    "spend_cap": _("Today's spend cap is reached"),
    "batch_spend_cap": _("The spend cap of its batch is reached"),
    "internal_error": _("Something broke here; the log has the rest"),
    "gave_up": _("Its worker ended without a word, again and again"),
    "bad_input": _("What it was made with cannot be used"),
    "cancelled": _("Cancelled by a person"),
    "fixes_exhausted": _("The judge failed it after its last fix"),
    "judge_unavailable": _("The judge could not judge it"),
    "unusable_judgement": _("The judge's answer could not be used"),
    "incomplete_judgement": _("The judge's answer left a part out"),
    "contract_violation": _("The judge's answer held no valid verdict"),
    "agent_failed": _("The agent program failed"),
    "no_worktree": _("The agent program had no worktree to work in"),
    "malformed_answer": _("No answer held a readable record"),
    "malformed_record": _("The record was malformed, also after mending its form"),
    "unknown_subcategory": _("No known subcategory fits"),
}


def plain(code: str) -> str:
    """A sentence without its full stop; a code that is not known here is shown as words."""
    return str(WORDS.get(code, code.replace("_", " ").capitalize()))
