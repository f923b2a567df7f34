"""Creations that are sent twice: the same key and body give what was made the first time, for a while."""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import Conflict
from generation.models import ApiKey, IdempotencyKey

Made = dict[str, Any]  # ids of what was made, as JSON: enough to answer the same again


def digest(*parts: Any) -> str:
    """The same for the same JSON values, whatever the order of their fields."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def once(api_key: ApiKey | None, key: str, of: Callable[[], str], make: Callable[[], Made]) -> Made:
    """What `make` answers, called once per key of a caller: in the transaction that remembers it.

    of: makes the digest of what was asked for; not called where there is no key. Conflict where the key was used
    for something else. Who sends the same while the first is still at work waits for it.
    """
    if api_key is None or not key:
        return make()
    asked = of()
    if (seen := _answered(api_key, key, asked)) is not None:
        return seen
    try:
        with transaction.atomic():
            row = IdempotencyKey.objects.create(api_key=api_key, key=key, body_hash=asked)
            row.made = made = make()
            row.save(update_fields=["made"])
            return made
    except IntegrityError:  # the same request, at the same moment
        if (seen := _answered(api_key, key, asked)) is None:
            raise
        return seen


def forget_old() -> int:
    """Keys that are kept no longer; how many that were."""
    length = timedelta(hours=settings.FOLDBACK_KEEP_IDEMPOTENCY_HOURS)
    return IdempotencyKey.objects.filter(created_at__lt=Now() - length).delete()[0]


def _answered(api_key: ApiKey, key: str, of: str) -> Made | None:
    seen = IdempotencyKey.objects.filter(api_key=api_key, key=key).first()
    if seen is not None and seen.body_hash != of:
        raise Conflict(_("this Idempotency-Key was used with another body"))
    return seen.made if seen else None
