"""The receiver of docs/webhooks.md does what it says."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from generation.models import WebhookDelivery
from generation.models.webhook import TYPES
from generation.webhooks import outbox, signing
from generation.webhooks.delivering import deliver
from tests.generation.webhooks.conftest import to
from tests.ports import free_port

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "webhooks.md").read_text()
pytestmark = pytest.mark.django_db


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.mark.parametrize("knows_the_secret", [True, False])
def test_the_receiver_takes_what_is_signed_and_nothing_else(
    settings: Settings, port: int, knows_the_secret: bool
) -> None:
    settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS = ["127.0.0.1"]
    found = re.search(r"<!-- run by [^>]*test_docs.py -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found, "the page lost its marked block"
    endpoint = to(f"http://127.0.0.1:{port}/")
    secret = signing.secret(endpoint.pk, 1 if knows_the_secret else 2)
    process = subprocess.Popen(
        [sys.executable, "-c", found[1]],
        env={**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        _until_it_listens(port)
        outbox.emit("run.finished", {"run": "r7"})
        deliver(endpoint.pk)
    finally:
        process.kill()
        said = process.communicate()[0]
    delivery = WebhookDelivery.objects.get()
    if knows_the_secret:
        assert said == f"{delivery.message_id} run.finished {{'run': 'r7'}}\n"
        assert delivery.state == "delivered"
    else:
        assert (said, delivery.state) == ("", "waiting")


def _until_it_listens(port: int) -> None:
    for _ in range(2400):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the receiver did not come up")


def test_every_event_is_told_of() -> None:
    assert re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE) == sorted(
        TYPES, key=lambda name: PAGE.index(f"| `{name}`")
    )
