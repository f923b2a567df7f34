"""A person's decision about a proposal: accepted, as a new version that is not live yet, or declined."""

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from generation import prompts
from generation.errors import Conflict
from generation.models import PromptVersion
from generation.prompts import Overtaken
from learning.models import Proposal, ProposalDecision
from learning.studio.proposals.placing import placed

log = structlog.get_logger(__name__)


def accept(proposal: Proposal, *, by: User, text: str, place: str, note: str, live_seen: int) -> PromptVersion:
    """A new version of the live prompt with the text in it.

    live_seen: the version whose diff was shown; Overtaken where another one is live by now. Conflict where
    somebody decided before. BadInput names placeholders that the text must not hold.
    """
    with transaction.atomic():
        _decide(proposal, Proposal.State.ACCEPTED)
        live = prompts.live(proposal.flow, proposal.stage)
        if live.number != live_seen:
            raise Overtaken(live)
        texts = placed(live, proposal.stage, text, place)
        version = prompts.save_version(
            live.prompt,
            system=texts.system,
            user=texts.user,
            model=live.model,
            parameters=live.parameters,
            author=by,
            note=note,
        )
        ProposalDecision.objects.create(
            proposal=proposal, state=Proposal.State.ACCEPTED, by=by, why=note, text=text, version=version
        )
    log.info("proposal_accepted", proposal=proposal.pk, version=version.number)
    return version


def decline(proposal: Proposal, *, by: User, why: str) -> None:
    """Conflict where somebody decided before."""
    with transaction.atomic():
        _decide(proposal, Proposal.State.DECLINED)
        ProposalDecision.objects.create(proposal=proposal, state=Proposal.State.DECLINED, by=by, why=why)
    log.info("proposal_declined", proposal=proposal.pk)


def _decide(proposal: Proposal, state: str) -> None:
    if not Proposal.objects.open().filter(pk=proposal.pk).update(state=state):
        raise Conflict(_("Somebody decided about this proposal meanwhile."))
