"""Looking for what a base prompt should say itself, and keeping it as a proposal: one open on a subject."""

from datetime import datetime

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from generation import prompts
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.models import PromptMove, Subcategory
from learning.guidance import texts
from learning.influence import table
from learning.models import Proposal, ProposalDecision
from learning.studio.proposals import recent
from learning.studio.proposals.rules import Finding, Homes, Subject, cases, findings, homes
from learning.studio.proposals.texts import template

log = structlog.get_logger(__name__)
# Who is not asked for a sentence: the demo has rules for records alone, an agent program would change files.
TEMPLATE_ONLY = ("demo", "command")


def find() -> list[Proposal]:
    """The new proposals of all flows, with a template's text. Safe to run at any time, also twice at once."""
    made = []
    for flow, subcategory_ids in recent.subcategories():
        if flow in FLOWS:
            made += [new for found in look(flow, subcategory_ids) if (new := keep(found))]
    log.info("proposals_looked_for", made=len(made))
    return made


def look(flow: str, subcategory_ids: list[int]) -> list[Finding]:
    """What these subcategories show that nobody was asked about yet, or that came again after what was decided."""
    known = homes_of(flow)
    silent, since = _decided(flow)
    found = (cases(lately, known, since) for lately in recent.lately(flow, subcategory_ids, known))
    return [
        finding
        for finding in findings(flow, found)
        if finding.subject not in silent and prompts.resolves(flow, finding.subject.stage, {})
    ]


def homes_of(flow: str) -> Homes:
    return homes(table(flow), frozenset(name for name, stage in flow_named(flow).stages.items() if stage.judges))


def _decided(flow: str) -> tuple[set[Subject], dict[Subject, datetime]]:
    """Subjects on which nothing is proposed now, and those where only what came after a decision counts.

    An accepted one is silent until the prompt's live version has moved: before, nothing can have got better.
    """
    silent, since = set(), {}
    keys = ("stage", "signal", "field_key")
    newest = Proposal.objects.filter(flow=flow).order_by(*keys, "-id").distinct(*keys)
    decided = ProposalDecision.objects.filter(proposal__flow=flow).order_by("proposal_id", "-id")
    at = dict(decided.distinct("proposal_id").values_list("proposal_id", "at"))
    moved = _moved(flow)
    for pk, state, *subject in newest.values_list("pk", "state", *keys):
        about = Subject(*subject)
        if state == Proposal.State.DECLINED:
            since[about] = at[pk]
        elif state == Proposal.State.ACCEPTED and (move := moved.get(about.stage)) and move > at[pk]:
            since[about] = move
        else:
            silent.add(about)
    return silent, since


def _moved(flow: str) -> dict[str, datetime]:
    """When each stage's live version moved last."""
    moves = PromptMove.objects.filter(prompt__flow=flow).order_by("prompt__stage", "-at")
    return dict(moves.distinct("prompt__stage").values_list("prompt__stage", "at"))


def keep(found: Finding) -> Proposal | None:
    """The finding as an open proposal; None where another was faster."""
    subject = found.subject
    subcategory = Subcategory.objects.filter(pk=found.subcategory_id).first() if found.subcategory_id else None
    waits = settings.FOLDBACK_PROVIDER not in TEMPLATE_ONLY
    proposal = Proposal(
        flow=found.flow,
        stage=subject.stage,
        signal=subject.signal,
        field=found.name[:80] if subject.field else "",
        field_key=subject.field,
        subcategory=subcategory,
        cause=found.cause,
        text=template(
            found.cause,
            field=found.name if subject.field else "",
            guidance=_guidance(found.flow, subject),
            subcategory=subcategory,
        ),
        figures=[case.as_json() for case in found.cases],
        events=found.events,
        wording=Proposal.Wording.WAITING if waits else Proposal.Wording.TEMPLATE,
    )
    try:
        with transaction.atomic():
            proposal.save(force_insert=True)
    except IntegrityError:
        return None
    log.info("proposal_made", proposal=proposal.pk, flow=found.flow, stage=subject.stage, cause=found.cause.value)
    return proposal


def _guidance(flow: str, subject: Subject) -> str:
    """What the guidance on the signal says now, on one line."""
    text, _enabled = texts(flow)[homes_of(flow)[subject.signal].key]
    return " ".join(text.split())
