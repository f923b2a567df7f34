"""Recovering: a submission whose sender died before it knew the provider's name for it; none is sent twice."""

from datetime import timedelta

import structlog
from django.db import IntegrityError
from django.db.models.functions import Now

from generation import providers
from generation.deferring.sending import LEASE as SENDING
from generation.deferring.sending import take_back
from generation.models import DeferredCall, Submission
from generation.providers.base import Batches, ProviderError

log = structlog.get_logger(__name__)
LOOK_AGAIN = timedelta(minutes=5)
CLOCKS_APART = timedelta(minutes=30)  # how far the provider's clock may be off


def recover() -> int:
    """Find the submissions that were sent, by the ids that their requests carry; how many were lost.

    The list of the provider's batches names no ids, their results do, and only once they have ended. Until then
    one with as many requests may be ours: nothing is sent again as long as there is one.
    """
    lost = Submission.objects.filter(state=Submission.State.SENDING, lease_expires_at__lt=Now())
    found = list(lost)
    for submission in found:
        taken = lost.filter(pk=submission.pk).update(lease_expires_at=Now() + LOOK_AGAIN)
        if taken:
            try:
                _recover(submission, providers.batches(submission.provider))
            except ProviderError as error:
                log.warning("deferred_recovery_failed", code=error.code)
    return len(found)


def _recover(submission: Submission, batches: Batches) -> None:
    begin, end = submission.created_at - CLOCKS_APART, submission.created_at + SENDING + CLOCKS_APART
    others = Submission.objects.filter(provider=submission.provider, created_at__gte=begin - CLOCKS_APART)
    known = set(others.values_list("name", flat=True))
    ours = {pk.hex for pk in DeferredCall.objects.filter(submission=submission).values_list("pk", flat=True)}
    unsure = False
    for name, requests in batches.taken(begin, end):
        if name in known or requests != submission.requests:
            continue
        if not batches.has_ended(name):
            unsure = True
        elif any(item in ours for item, _result in batches.results(name)):
            _adopt(submission, name)
            return
    if unsure:
        log.info("deferred_recovery_waits")
        return
    log.warning("deferred_never_arrived", requests=submission.requests)
    take_back(submission)


def _adopt(submission: Submission, name: str) -> None:
    try:
        Submission.objects.filter(pk=submission.pk, state=Submission.State.SENDING).update(
            name=name, state=Submission.State.WAITING, lease_expires_at=None
        )
    except IntegrityError:  # its sender lived, and was faster
        return
    log.info("deferred_recovered", requests=submission.requests)
