"""Sending: what waits goes to the provider, many at once, as far as the money goes."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import connection, transaction
from django.db.models.functions import Now

from generation import providers
from generation.calls import Prepared
from generation.deferring.collecting import fail
from generation.deferring.parcel import unpack
from generation.deferring.reserving import estimate, longest_answers, money
from generation.errors import BadInput
from generation.models import DeferredCall, Submission
from generation.models.run import IN_PROGRESS
from generation.providers.base import Item, ProviderError, Refused

log = structlog.get_logger(__name__)
MOST = 1000  # requests sent together: what is read of them at once stays small
LARGEST = 32_000_000  # bytes, likewise; the API takes 256 MB
AT_ONCE = 20  # submissions of one task, which leaves the rest to the next
LEASE = timedelta(minutes=10)  # longer than sending can take: after it, the provider's list of batches is complete


@dataclass
class Chosen:
    """Rows of one submission with what is sent of each; and rows that cannot be sent at all, each with why."""

    rows: list[tuple[DeferredCall, Prepared]]
    unfit: list[tuple[DeferredCall, Prepared | None, ProviderError]]
    submission: Submission | None = None


def send() -> int:
    """Send what waits; how many requests. What the provider refuses for now waits for the next time."""
    sent = 0
    for provider in providers.BATCHES:
        for _ in range(AT_ONCE):
            chosen = _choose(provider)
            for row, prepared, error in chosen.unfit:
                fail(row, prepared, error)
            if chosen.submission is None or not _hand_over(chosen.submission, chosen.rows):
                break
            sent += len(chosen.rows)
    return sent


def _choose(provider: str) -> Chosen:
    """The next submission, stored before it is sent. What nobody waits for any more goes."""
    chosen = Chosen([], [])
    with transaction.atomic():
        with connection.cursor() as cursor:  # so that no two spend the same money
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('foldback.deferred'))")
        waiting = DeferredCall.objects.filter(state=DeferredCall.State.WAITING, provider=provider)
        over = waiting.exclude(run__status__in=IN_PROGRESS)
        over.filter(turns=[]).delete()  # the others were paid for in part, and are kept as calls
        held = set[uuid.UUID]()
        while found := _page(provider, held):
            before = len(held)
            _take(found, chosen, held)
            if chosen.rows or chosen.unfit or len(held) == before:
                break
        if chosen.rows:
            rows = [row for row, _prepared in chosen.rows]
            made = Submission(provider=provider, requests=len(rows), lease_expires_at=Now() + LEASE)
            made.save(force_insert=True)
            for row in rows:
                row.state, row.submission = DeferredCall.State.SENT, made
            DeferredCall.objects.bulk_update(rows, ["state", "submission", "reserved_usd"])
            chosen.submission = made
    return chosen


def _page(provider: str, held: set[uuid.UUID]) -> list[DeferredCall]:
    """The requests that wait longest, but those of batches whose money is spent."""
    waiting = DeferredCall.objects.filter(state=DeferredCall.State.WAITING, provider=provider)
    rows = waiting.exclude(run__batch__in=held).select_related("run", "prompt_version")
    return list(rows.order_by("created_at", "id").select_for_update(of=("self",), skip_locked=True)[:MOST])


def _take(found: list[DeferredCall], chosen: Chosen, held: set[uuid.UUID]) -> None:
    """Those of a page that there is money for; `held` learns the batches that have none left."""
    account = money({row.run.batch_id for row in found if row.run.batch_id})
    longest, size = longest_answers(), 0
    for row, prepared, error in _read(found):
        if prepared is None or error is not None:
            chosen.unfit.append((row, prepared, error or ProviderError("bad_input", "its flow is gone")))
            continue
        if size + row.size > LARGEST and chosen.rows:
            break
        amount = estimate(row.provider, prepared.request, row.prompt_version.prompt_id, longest)
        if not account.takes(row.run.batch_id, amount):
            if row.run.batch_id is None or not account.today.takes(amount):
                continue  # today's money is short; a smaller one may still fit
            held.add(row.run.batch_id)
            continue
        row.reserved_usd = amount
        size += row.size
        chosen.rows.append((row, prepared))


def _read(
    found: list[DeferredCall],
) -> Iterator[tuple[DeferredCall, Prepared | None, ProviderError | None]]:
    for row in found:
        try:
            prepared = unpack(row)
        except (BadInput, KeyError) as error:  # its flow or its stage is gone
            yield row, None, ProviderError("bad_input", str(error))
            continue
        if not row.run.is_in_progress:
            yield row, prepared, ProviderError("batch_cancelled", "cancelled before its end")
            continue
        try:
            providers.batches(row.provider).check(prepared.request)
        except ProviderError as error:
            yield row, prepared, error
        else:
            yield row, prepared, None


def _hand_over(submission: Submission, rows: list[tuple[DeferredCall, Prepared]]) -> bool:
    """Whether the provider has it now, and more may follow."""
    items = [Item(row.id.hex, prepared.request, row.turns) for row, prepared in rows]
    try:
        name = providers.batches(submission.provider).send(items)
    except Refused as error:
        log.warning("deferred_refused", code=error.code, requests=len(rows))
        if error.retryable:
            take_back(submission)
            return False
        for row, prepared in rows:
            fail(row, prepared, error)
        submission.delete()
        return False
    except ProviderError as error:  # it may be there all the same: recovering.py finds out, once the lease is over
        log.warning("deferred_unsure", code=error.code, requests=len(rows))
        return False
    mine = Submission.objects.filter(pk=submission.pk, state=Submission.State.SENDING)
    if not mine.update(name=name, state=Submission.State.WAITING, lease_expires_at=None):
        _nobody_waits(submission, name)
        return False
    log.info("deferred_sent", requests=len(rows))
    return True


def _nobody_waits(submission: Submission, name: str) -> None:
    """This sender was taken for dead and its requests were taken back: they must not be paid for twice."""
    if not Submission.objects.filter(provider=submission.provider, name=name).exists():
        log.error("deferred_sent_twice", requests=submission.requests)
        providers.batches(submission.provider).cancel(name)


def take_back(submission: Submission) -> None:
    """Have the requests of a submission that the provider surely does not have wait again."""
    with transaction.atomic():
        DeferredCall.objects.filter(submission=submission).update(
            state=DeferredCall.State.WAITING, submission=None, reserved_usd=0
        )
        Submission.objects.filter(pk=submission.pk).delete()
