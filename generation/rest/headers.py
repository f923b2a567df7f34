"""Headers that several calls take."""

from typing import Annotated

from django.conf import settings
from ninja import Header

IdempotencyKey = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=200,
        description="The same key and body give the same answer, however often they are sent, and nothing is made "
        f"twice; another body: 409. Kept for {settings.FOLDBACK_KEEP_IDEMPOTENCY_HOURS} hours.",
        example="order-4711",
    ),
]
