"""Administration of webhooks: the secret shows once, and what was given up is sent again by a click."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from generation.models import WebhookDelivery, WebhookEndpoint
from generation.webhooks import outbox, signing
from generation.webhooks.delivering import deliver
from tests import people
from tests.factories import UserFactory
from tests.generation.webhooks.conftest import to
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db
ENDPOINTS, DELIVERIES = "/admin/generation/webhookendpoint/", "/admin/generation/webhookdelivery/"
GIVEN: dict[str, Any] = {"url": "https://example.org/hook", "types": ["run.finished"], "enabled": "on"}


@pytest.fixture
def client() -> Client:
    return people.admin()


def act(client: Client, url: str, action: str, *rows: Any) -> str:
    answer = client.post(url, {"action": action, "_selected_action": [row.pk for row in rows]}, follow=True)
    return answer.content.decode()


def test_a_new_endpoint_shows_its_secret_once(client: Client) -> None:
    page = client.post(f"{ENDPOINTS}add/", GIVEN, follow=True).content.decode()
    endpoint = WebhookEndpoint.objects.get()
    assert (endpoint.types, endpoint.enabled) == (["run.finished"], True)
    [shown] = re.findall(r"whsec_[\w+/=]+", page)
    assert shown == signing.secret(endpoint.pk, 1)
    for url in (ENDPOINTS, f"{ENDPOINTS}{endpoint.pk}/change/"):
        assert "whsec_" not in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"url": "https://10.0.0.1/"}, "private network"),
        ({"url": "http://example.org/"}, "https://"),
        ({"types": []}, "required"),
        ({"types": ["run.started"]}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_told_at_its_field(client: Client, changed: dict[str, Any], says: str) -> None:
    page = client.post(f"{ENDPOINTS}add/", GIVEN | changed).content.decode()
    assert says in page
    assert not WebhookEndpoint.objects.exists()


def test_a_changed_secret_is_shown_and_the_old_one_signs_for_a_day(
    client: Client, endpoint: WebhookEndpoint
) -> None:
    page = act(client, ENDPOINTS, "rotate", endpoint)
    assert signing.secret(endpoint.pk, 2) in page.replace("&#x2F;", "/") and "Until tomorrow" in page
    endpoint.refresh_from_db()
    assert endpoint.secret_number == 2 and endpoint.rotated_at


def test_a_test_message_goes_to_this_endpoint_alone(
    client: Client, endpoint: WebhookEndpoint, there: Receiver
) -> None:
    off = to(there.url)
    WebhookEndpoint.objects.filter(pk=off.pk).update(enabled=False)
    page = act(client, ENDPOINTS, "send_test", endpoint, off)
    assert "1 test message is on its way." in page and "1 endpoint is switched off." in page
    deliver(endpoint.pk)
    assert b"webhook.test" in there.got[0].body
    assert WebhookDelivery.objects.count() == 1


def test_switching_on_again_is_a_new_start_and_keeps_what_waited(
    client: Client, endpoint: WebhookEndpoint, there: Receiver
) -> None:
    outbox.emit("run.finished", {})
    gone = {"enabled": False, "switched_off": "gone", "failures": 3, "failing_since": "2026-01-01T00:00Z"}
    WebhookEndpoint.objects.update(**gone, resting_until="2040-01-01T00:00Z")
    assert "it wants no more" in client.get(ENDPOINTS).content.decode()
    given = {"url": endpoint.url, "types": endpoint.types, "enabled": "on"}
    client.post(f"{ENDPOINTS}{endpoint.pk}/change/", given)
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.switched_off, endpoint.failures, endpoint.resting_until) == (
        True,
        "",
        0,
        None,
    )
    deliver(endpoint.pk)
    assert len(there.got) == 1


def test_saving_leaves_alone_what_a_worker_writes(client: Client, endpoint: WebhookEndpoint) -> None:
    WebhookEndpoint.objects.update(failures=2, busy_until="2040-01-01T00:00Z")
    given = {"url": endpoint.url, "types": ["run.finished"], "description": "d", "enabled": "on"}
    client.post(f"{ENDPOINTS}{endpoint.pk}/change/", given)
    endpoint.refresh_from_db()
    assert (endpoint.description, endpoint.types, endpoint.failures) == ("d", ["run.finished"], 2)
    assert endpoint.busy_until and endpoint.busy_until.year == 2040


def test_nobody_deletes_an_endpoint(client: Client, endpoint: WebhookEndpoint) -> None:
    assert client.post(f"{ENDPOINTS}{endpoint.pk}/delete/", {"post": "yes"}).status_code == 403


def test_deliveries_are_listed_found_and_sent_again(
    client: Client, endpoint: WebhookEndpoint, there: Receiver
) -> None:
    there.answer(503, 200)
    outbox.emit("run.finished", {"run": "r7"})
    deliver(endpoint.pk)
    WebhookDelivery.objects.update(state="failed", next_attempt_at=None)
    delivery = WebhookDelivery.objects.get()
    assert "503" in client.get(f"{DELIVERIES}?state__exact=failed").content.decode()
    assert "Nothing fits" in client.get(f"{DELIVERIES}?state__exact=waiting").content.decode()
    assert "Nothing fits" in client.get(f"{DELIVERIES}?message__type=prompt.activated").content.decode()
    assert "503" in client.get(f"{DELIVERIES}?q={delivery.message_id}").content.decode()
    assert "Nothing fits" in client.get(f"{DELIVERIES}?q=no-id").content.decode()
    page = client.get(f"{DELIVERIES}{delivery.pk}/change/").content.decode()
    assert str(delivery.message_id) in page and "r7" in page
    assert "1 message is sent again." in act(client, DELIVERIES, "resend", delivery)
    deliver(endpoint.pk)
    assert len(set(there.ids)) == 1 and len(there.got) == 2
    delivery.refresh_from_db()
    assert delivery.state == "delivered"


def test_what_went_to_an_endpoint_that_is_off_stays_as_it_is(client: Client, endpoint: WebhookEndpoint) -> None:
    outbox.emit("run.finished", {})
    WebhookDelivery.objects.update(state="failed", next_attempt_at=None)
    WebhookEndpoint.objects.update(enabled=False)
    assert "1 goes to an endpoint that is off." in act(client, DELIVERIES, "resend", WebhookDelivery.objects.get())
    assert WebhookDelivery.objects.get().state == "failed"


def test_who_may_only_look_sends_nothing_again(endpoint: WebhookEndpoint) -> None:
    outbox.emit("run.finished", {})
    staff = UserFactory(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_webhookdelivery"))
    WebhookDelivery.objects.update(state="failed", next_attempt_at=None)
    page = act(people.signed_in(staff), DELIVERIES, "resend", WebhookDelivery.objects.get())
    assert 'name="action"' not in page
    assert WebhookDelivery.objects.get().state == "failed"


def test_lists_take_no_statement_more_for_more_rows(
    client: Client, endpoint: WebhookEndpoint, django_assert_max_num_queries: Any
) -> None:
    for n in range(30):
        outbox.emit("run.finished", {"n": n})
        to(f"https://example.org/{n}", "prompt.activated")
    for url in (ENDPOINTS, DELIVERIES):
        with django_assert_max_num_queries(8):
            client.get(url)
