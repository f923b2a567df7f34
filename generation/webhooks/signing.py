"""The secret of an endpoint, and the headers that prove who sent a message."""

from base64 import b64encode
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.crypto import salted_hmac
from standardwebhooks import Webhook

SALT = "foldback.webhook"
PREFIX = "whsec_"


def secret(endpoint_id: UUID, number: int, key: str | None = None) -> str:
    """The endpoint's secret of this number, as receivers' libraries take it. key: the installation's; its own now.

    Derived and never stored: HMAC-SHA256, so that no secret tells of another, nor of the key.
    """
    made = salted_hmac(SALT, f"{endpoint_id}:{number}", secret=key or settings.SECRET_KEY, algorithm="sha256")
    return PREFIX + b64encode(made.digest()).decode()


def headers(endpoint_id: UUID, numbers: list[int], message_id: UUID, at: datetime, body: str) -> dict[str, str]:
    """The three headers of the specification; a signature for each number and each key of the installation."""
    signatures = [
        Webhook(secret(endpoint_id, number, key)).sign(str(message_id), at, body)
        for number in numbers
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
