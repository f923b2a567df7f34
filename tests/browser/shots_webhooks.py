"""Pictures of webhooks in administration: `python -m pytest tests/browser/shots_webhooks.py --shots FOLDER`."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation.models import WebhookDelivery, WebhookEndpoint
from generation.models.webhook import TYPES
from generation.webhooks import outbox
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take

__all__ = ["folder"]


@pytest.fixture
def endpoint(transactional_db: None) -> WebhookEndpoint:
    made = WebhookEndpoint.objects.create(
        url="https://hooks.example.org/foldback?team=catalogue", description="Catalogue import", types=list(TYPES)
    )
    dead = WebhookEndpoint.objects.create(url="https://old.example.org/", types=["run.finished"])
    for n in range(9):
        type = list(TYPES)[n % len(TYPES)]
        outbox.emit(
            type, {"run": f"01a202ca-7ce2-7205-b935-2c8f544b44{n:02}", "flow": "item", "status": "approved"}
        )
    taken = WebhookDelivery.objects.filter(endpoint=made)
    taken.update(state="delivered", attempts=1, last_status=204, last_duration_ms=41, next_attempt_at=None)
    failed = WebhookDelivery.objects.filter(endpoint=dead).order_by("id")
    failed.update(attempts=3, last_error="timeout", last_attempt_at=Now(), last_duration_ms=20003)
    failed.filter(pk=failed.first().pk).update(  # type: ignore[union-attr]
        state="failed", attempts=10, last_error="status", last_status=503, next_attempt_at=None
    )
    WebhookEndpoint.objects.filter(pk=dead.pk).update(
        failures=12, failing_since=Now() - timedelta(hours=9), resting_until=Now() + timedelta(minutes=12)
    )
    return made


@pytest.mark.parametrize("size", SIZES)
def test_shots(
    page: Page, live_server: LiveServer, folder: Path, endpoint: WebhookEndpoint, sign_in: SignIn, size: str
) -> None:
    sign_in(User.objects.create_superuser("mk", password="secret"))
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    base = f"{live_server.url}/admin/generation"
    failed = WebhookDelivery.objects.get(state="failed")
    addresses = {
        "webhook-endpoints": f"{base}/webhookendpoint/",
        "webhook-endpoint": f"{base}/webhookendpoint/{endpoint.pk}/change/",
        "webhook-new": f"{base}/webhookendpoint/add/",
        "webhook-deliveries": f"{base}/webhookdelivery/",
        "webhook-delivery": f"{base}/webhookdelivery/{failed.pk}/change/",
    }
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(address)
            take(page, folder, f"{name}-{theme}-{size}", full_page=True)
    page.goto(addresses["webhook-endpoints"])
    page.locator(f"input[value='{endpoint.pk}']").check()
    page.select_option("select[name=action]", "rotate")
    page.locator("button[name=index]").click()
    page.wait_for_selector("code.secret")
    take(page, folder, f"webhook-secret-dark-{size}")
