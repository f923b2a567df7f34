"""The spend cap of a batch: its runs pause, say so, and go on when it is raised."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from generation.batches import create_many
from generation.models import Batch, Run
from generation.tasks import sweep
from tests import people
from tests.callers import Caller
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db
PER_CALL = Decimal("0.000110")  # 100 tokens in, 10 out, a dollar the million


@pytest.fixture
def batch(scripted: Scripted, settings: Settings) -> Batch:
    """Two runs and money for the two calls of one of them."""
    settings.PRICES_USD = {"scripted": ("1", "1", "1", "1")}
    slug = SubcategoryFactory().slug
    bodies = [{"flow": "item", "subcategory": slug, "source": {"title": f"Drill {n}"}} for n in range(2)]
    made, _runs, _bad = create_many(bodies, spend_cap_usd=2 * PER_CALL)
    assert made is not None
    return made


def test_runs_pause_when_it_is_spent_and_go_on_when_it_is_raised(batch: Batch, scripted: Scripted) -> None:
    first, second = batch.runs.order_by("pk")
    assert generated(first).status == "awaiting_review"
    batch.refresh_from_db()
    assert batch.cost_usd == 2 * PER_CALL
    generated(second)
    assert (second.status, second.attempts, len(scripted.requests)) == ("queued", 0, 2)
    assert second.error is not None and second.error["code"] == "batch_spend_cap"
    assert sweep() == 0
    client = people.reviewer()
    page = client.get(f"/batches/{batch.pk}/").content.decode()
    assert "Paused: its spend cap is reached" in page and "$0.00022 of $0.00022" in page

    call_command("set_spend_cap", str(batch.pk), "0.00011")
    assert sweep() == 0  # lowered: nothing goes on
    call_command("set_spend_cap", str(batch.pk), "1")
    assert sweep() == 1
    Run.objects.update(lease_expires_at=None)
    assert generated(second).status == "awaiting_review"
    assert "Paused" not in client.get(f"/batches/{batch.pk}/").content.decode()


def test_other_runs_are_not_held_up(batch: Batch) -> None:
    for run in batch.runs.all():
        generated(run)
    alone = new_run()
    assert generated(alone).status == "awaiting_review"
    batch.refresh_from_db()
    assert batch.cost_usd == 2 * PER_CALL


@pytest.mark.parametrize(
    ("given", "cap", "taken_up", "told"),
    [
        ("1", Decimal(1), 1, "1 paused run goes on."),
        ("", None, 1, "1 paused run goes on."),
        ("0", None, 1, "1 paused run goes on."),
        ("0.0001", Decimal("0.0001"), 0, "the runs stay paused"),
        ("-1", 2 * PER_CALL, 0, "greater than or equal to 0"),
        ("much", 2 * PER_CALL, 0, "Enter a number."),
    ],
)
def test_an_admin_raises_it(batch: Batch, given: str, cap: Decimal | None, taken_up: int, told: str) -> None:
    for run in batch.runs.all():
        generated(run)
    client, url = people.admin(), f"/admin/generation/batch/{batch.pk}/change/"
    page = client.get(url).text
    assert "1 run waits for money" in page and "0.000220" in page
    sent = {"spend_cap_usd": given, "name": "other", "cost_usd": "0"}
    assert told in client.post(url, sent, follow=True).text
    batch.refresh_from_db()
    assert (batch.spend_cap_usd, batch.cost_usd, batch.name) == (cap, 2 * PER_CALL, "")
    assert sweep() == taken_up


def test_who_may_only_look_changes_no_cap() -> None:
    staff = UserFactory(is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_batch"))
    batch = Batch.objects.create(spend_cap_usd=1)
    url = f"/admin/generation/batch/{batch.pk}/change/"
    client = people.signed_in(staff)
    assert client.get(url).status_code == 200
    assert client.post(url, {"spend_cap_usd": "2"}).status_code == 403
    batch.refresh_from_db()
    assert batch.spend_cap_usd == 1


@pytest.mark.parametrize(("cap", "status"), [(0.5, 202), (None, 202), (0, 422), (-1, 422), ("much", 422)])
def test_over_rest(cap: object, status: int) -> None:
    body = {"runs": [{"flow": "item", "source": {"title": "Drill"}}], "spend_cap_usd": cap}
    response = Caller()("POST", "/runs/batch", body)
    assert response.status_code == status
    assert [batch.spend_cap_usd for batch in Batch.objects.all()] == ([cap] if status == 202 else [])


@pytest.mark.parametrize(("usd", "cap"), [("2.5", Decimal("2.5")), ("0", None)])
def test_the_command_sets_it(usd: str, cap: Decimal | None) -> None:
    batch = Batch.objects.create(spend_cap_usd=1)
    call_command("set_spend_cap", str(batch.pk), usd)
    batch.refresh_from_db()
    assert batch.spend_cap_usd == cap


@pytest.mark.parametrize("given", [("much",), ("-1",), ("nan",)])
def test_the_command_refuses_what_is_no_cap(given: tuple[str]) -> None:
    batch = Batch.objects.create(spend_cap_usd=1)
    with pytest.raises(CommandError):
        call_command("set_spend_cap", str(batch.pk), "--", *given)
