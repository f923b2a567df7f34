"""What requests at the provider may cost: held against the caps before they are sent, freed with their answers."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Max, Sum
from django.db.models.functions import Now, TruncDate

from generation import spend
from generation.models import Batch, Call, DailySpend, DeferredCall
from generation.providers.base import Request, Usage
from generation.tokens import tokens_about

LOOKED_AT = 500  # newest calls, by which answers are guessed: no more, however many there are
UNKNOWN_OUTPUT = 4096  # tokens of an answer of a stage that none of them is of


@dataclass
class Account:
    """Money that is spent or held already, of today's cap or of a batch's. cap: None where there is none."""

    cap: Decimal | None
    spent: Decimal = Decimal(0)
    held: Decimal = Decimal(0)

    def takes(self, amount: Decimal) -> bool:
        """One request at a time is always taken until the cap is reached: an estimate alone holds nobody up."""
        if self.cap is None:
            return True
        return self.spent + self.held + amount <= self.cap or (not self.held and self.spent < self.cap)


@dataclass
class Money:
    """Today's account and those of batches, as requests are taken one after the other."""

    today: Account
    batches: dict[uuid.UUID, Account] = field(default_factory=dict)

    def takes(self, batch_id: uuid.UUID | None, amount: Decimal) -> bool:
        """Whether the request can be sent; if so its amount is held."""
        batch = self.batches.get(batch_id) if batch_id else None
        accounts = [self.today, *([batch] if batch else [])]
        if not all(account.takes(amount) for account in accounts):
            return False
        for account in accounts:
            account.held += amount
        return True


def money(batch_ids: Collection[uuid.UUID]) -> Money:
    """As it stands now: what was spent, and what open requests hold."""
    held: dict[Any, Decimal] = defaultdict(Decimal)
    sent = DeferredCall.objects.filter(state=DeferredCall.State.SENT).order_by()
    for batch_id, amount in sent.values_list("run__batch").annotate(held=Sum("reserved_usd")):
        held[batch_id] += amount
    spent = DailySpend.objects.filter(day=TruncDate(Now(), tzinfo=UTC)).values_list("cost_usd", flat=True).first()
    cap = settings.FOLDBACK_SPEND_CAP_USD or None
    found = Money(Account(cap, spent or Decimal(0), sum(held.values(), Decimal(0))))
    for batch in Batch.objects.filter(pk__in=batch_ids, spend_cap_usd__isnull=False):
        found.batches[batch.pk] = Account(batch.spend_cap_usd, batch.cost_usd, held[batch.pk])
    return found


def longest_answers() -> Mapping[int, int]:
    """Output tokens of the longest of the newest answers, by prompt: what an estimate goes by."""
    newest = Call.objects.filter(prompt_version__isnull=False).order_by("-id").values("pk")[:LOOKED_AT]
    found = Call.objects.filter(pk__in=newest).order_by().values_list("prompt_version__prompt")
    return {prompt: tokens for prompt, tokens in found.annotate(longest=Max("output_tokens")) if tokens}


def estimate(provider: str, request: Request, prompt_id: int, longest: Mapping[int, int]) -> Decimal:
    """What the request may cost: nothing of it cached, its answer as long as the longest of late."""
    usage = Usage(
        input_tokens=tokens_about(request.system + request.user),
        output_tokens=longest.get(prompt_id, UNKNOWN_OUTPUT),
        searches=request.search.uses if request.search.wanted else 0,
    )
    return spend.cost(provider, request.model, usage, batched=True)
