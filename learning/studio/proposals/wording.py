"""A proposal's text by the provider: one call, out of what reviewers wrote, checked before it is shown."""

import re
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from pydantic import BaseModel

from generation import material, prompts, providers, spend
from generation.characters import clean
from generation.flows import flow as flow_named
from generation.flows import label_of
from generation.models import Subcategory
from generation.placeholders import SUSPECT, Segment, fill, text_of
from generation.providers.base import Answer, ProviderError, Request
from generation.reading import first_object, storable, storable_json
from generation.sanitizer import one_line, quote, sanitize
from learning import own_review
from learning.models import Proposal
from learning.own_review import FIELDS
from learning.redaction import redact
from learning.studio.proposals.texts import sentence
from review.models import ReviewEvent

log = structlog.get_logger(__name__)
MOST_NOTES, LONGEST_NOTE = 12, 400  # what is quoted: the newest reviews, and characters of each
SHORTEST, LONGEST = 15, 400  # characters of an answer; 300 are asked for
ASKED = timedelta(minutes=10)  # after that, whoever asked was killed
AT_ONCE = 20  # proposals that one task asks for
PARAMETERS = {"max_tokens": 1024}
NO_TEXT = re.compile(r"https?:|www\.|[\w.+-]+@[\w-]+\.\w|^\s*(?:[-*•]|\d+[.)])\s|\*\*|__|[{}|\\]")
SENTENCE_ENDS = re.compile(r"[.!?](?:\s|$)")


class Wording(BaseModel):
    """The answer that is asked for."""

    text: str


class Unusable(ValueError):
    """An answer that is no sentence for a prompt. code: empty, too_short, too_long, placeholder, not_plain."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def write_waiting() -> int:
    """Ask for the texts that are waited for; how many were answered. With today's money spent, the rest waits."""
    written = 0
    for pk in list(_waiting().order_by("id").values_list("pk", flat=True)[:AT_ONCE]):
        try:
            written += write(pk)
        except spend.CapReached:
            log.warning("proposals_wait_for_money")
            break
    return written


def _waiting() -> Any:
    nobody = Q(asked_at__isnull=True) | Q(asked_at__lt=Now() - ASKED)
    return Proposal.objects.unwritten().filter(nobody)


def write(pk: int) -> bool:
    """Ask for one text, outside any transaction, and keep request, answer and cost; whether there is one.

    Where the provider fails, or its answer is no text, the template's stays. Raises spend.CapReached.
    """
    spend.check()
    if not _waiting().filter(pk=pk).update(asked_at=Now()):
        return False
    proposal = Proposal.objects.select_related("subcategory").get(pk=pk)
    request, name = request_for(proposal), settings.FOLDBACK_PROVIDER
    answer, text, failure = Answer("", request.model), "", ""
    try:
        answer = providers.provider(name).answer(request)
        text = plain(answer.text)
    except ProviderError as error:
        answer, failure = Answer(error.answer, request.model, error.usage, error.sent), error.code
    except Unusable as error:
        failure = error.code
    _keep(proposal, name, request, answer, text, failure)
    log.info("proposal_worded", proposal=pk, provider=name, failure=failure)
    return not failure


def _keep(proposal: Proposal, provider: str, request: Request, answer: Answer, text: str, failure: str) -> None:
    """The text of one that was decided meanwhile stays as it was decided; what was paid is kept all the same."""
    cost = spend.cost(provider, answer.model, answer.usage)
    usage = answer.usage
    with transaction.atomic():
        Proposal.objects.filter(pk=proposal.pk).update(
            wording=Proposal.Wording.TEMPLATE,
            provider=provider,
            model=answer.model[:100],
            request={"system": request.system, "user": request.user, **storable_json(dict(answer.sent))},
            answer=storable(answer.text),
            failure=failure,
            input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost,
        )
        if text:
            Proposal.objects.open().filter(pk=proposal.pk).update(text=text, wording=Proposal.Wording.PROVIDER)
        spend.add(cost, None)


def plain(answer: str) -> str:
    """The sentences of an answer, on one line. Raises Unusable where they are no plain text of a prompt."""
    found = first_object(answer) or {}
    given = found.get("text")
    if not isinstance(given, str) or not given.strip():
        raise Unusable("empty")
    if SUSPECT.search(given):
        raise Unusable("placeholder")
    if NO_TEXT.search(given) or _hides(given):
        raise Unusable("not_plain")
    text = " ".join(given.split())
    if len(text) > LONGEST or len(SENTENCE_ENDS.findall(text)) > 3:
        raise Unusable("too_long")
    if len(text) < SHORTEST:
        raise Unusable("too_short")
    if sanitize(text, LONGEST) != " ".join(clean(text).split()):  # roles, turns, tags, fences
        raise Unusable("not_plain")
    return text


def _hides(text: str) -> bool:
    """Whether there is a sign in it that nobody sees: controls, zero widths, bidi, tags."""
    return any(not clean(sign) for sign in text if not sign.isspace())


@cache
def _asked() -> tuple[str, str]:
    """The system part and the user part of what is asked."""
    text = (Path(__file__).parent / "wording.md").read_text(encoding="utf-8")
    system, _, user = text.removeprefix("# system\n").partition("\n# user\n")
    return system.strip(), user.strip()


def request_for(proposal: Proposal) -> Request:
    """What the provider is asked: the cause, what reviewers wrote as quoted data, and the prompt as it stands."""
    names = dict(
        Subcategory.objects.filter(pk__in=[f["subcategory"] for f in proposal.figures]).values_list("pk", "name")
    )
    live = prompts.live(proposal.flow, proposal.stage)
    stage = flow_named(proposal.flow).stages[proposal.stage]
    only = material.name(proposal.subcategory.name) if proposal.subcategory else ""
    values = {
        "FLOW": str(label_of(proposal.flow)),
        "STAGE": str(stage.label),
        "CAUSE": one_line(sentence(proposal, names), 400),
        "NOTES": "\n".join(_notes(proposal.events)) or "(no notes)",
        "PROMPT": f"{live.system}\n\n{live.user}",
        "WHERE": f" It shall hold in {only} alone: say so." if only else "",
    }
    system, user = _asked()
    filled = fill(user, {name: [Segment(value)] for name, value in values.items()})
    return Request(
        flow=proposal.flow,
        stage=proposal.stage,
        system=system,
        stable="",
        volatile=text_of(filled),
        model=settings.FOLDBACK_MODEL,
        schema=Wording,
        parameters=PARAMETERS,
        timeout=settings.CALL_TIMEOUT_SECONDS,
    )


def _notes(events: Iterable[int]) -> list[str]:
    """Notes and corrections of the newest of these reviews: redacted, since they may enter prompts of all runs,
    sanitized and quoted."""
    rows = ReviewEvent.objects.counting().filter(pk__in=sorted(events)[-3 * MOST_NOTES :]).order_by("-id")
    notes = []
    for row in rows.values("id", *FIELDS):
        try:
            written = own_review.stored(row)
        except Exception as error:  # degrade-gracefully point: one bad event never breaks a proposal
            log.warning("review_event_unreadable", review_event=row["id"], error=type(error).__name__)
            continue
        notes.append(quote("a reviewer's note", sanitize(redact(written.notes), LONGEST_NOTE)))
    return [note for note in notes if note][:MOST_NOTES]
