"""Claims as their pages show them: kept alive, released by who may, not taken back by a page left open."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client

from generation.models import Run
from review import queue
from review.models import Claim, ReviewEvent
from tests import scenes
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> Client:
    client = Client()
    client.force_login(UserFactory(username="boss", is_superuser=True, is_staff=True))
    return client


def expire(run: Run) -> None:
    Claim.objects.filter(run=run).update(expires_at=Now() - timedelta(seconds=1))


def test_the_holder_renews_and_submits_after_it_ran_out(web: Client, run: Run, me: User) -> None:
    web.get(f"/runs/{run.pk}/")
    expire(run)
    assert "yours for" in web.post(f"/runs/{run.pk}/claim/").text
    expire(run)
    web.post(f"/runs/{run.pk}/review/", {"decision": "approve"})
    assert ReviewEvent.objects.get().reviewer == me


def test_one_that_ran_out_is_anybodys(web: Client, run: Run) -> None:
    web.get(f"/runs/{run.pk}/")
    expire(run)
    rosa = scenes.reviewer("rosa", "Rosa", "Stein")
    claim = queue.claim_next(rosa)
    assert claim and claim.run == run
    assert "Rosa Stein is reviewing this run" in web.post(f"/runs/{run.pk}/claim/").text
    refused = web.post(f"/runs/{run.pk}/review/", {"decision": "approve", "notes": "my words"})
    assert refused.status_code == 409 and "Rosa Stein" in refused.text and "my words" in refused.text
    assert "can be submitted once the run is free" in refused.text
    assert not ReviewEvent.objects.exists()
    expire(run)
    assert "yours for" in web.post(f"/runs/{run.pk}/claim/").text, "and again where nobody holds it"


def test_an_admin_releases_a_run_from_its_page_and_from_the_list(web: Client, run: Run, boss: Client) -> None:
    web.get(f"/runs/{run.pk}/")
    address = f"/runs/{run.pk}/release/"
    for page in (f"/runs/{run.pk}/", "/queue/"):
        assert f'action="{address}"' in boss.get(page).text
        assert address not in web.get(page).text
    assert web.post(address).status_code == 403 and Claim.objects.exists()
    released = boss.post(address, follow=True)
    assert released.redirect_chain[-1][0] == "/queue/" and "free for the next reviewer" in released.text
    assert not Claim.objects.exists(), "who released it has not taken it"
    assert "Nobody holds this run." in boss.post(address, follow=True).text


@pytest.mark.parametrize(
    ("where", "back"), [("/queue/?view=all&flow=item", "view=all&flow=item"), ("/runs/{}/?flow=item", "flow=item")]
)
def test_a_release_leads_back_to_the_list_as_it_was(
    web: Client, run: Run, boss: Client, where: str, back: str
) -> None:
    web.get(f"/runs/{run.pk}/")
    action = f"/runs/{run.pk}/release/?{back}"
    assert f'action="{action.replace("&", "&amp;")}"' in boss.get(where.format(run.pk)).text
    assert boss.post(action).headers["Location"] == f"/queue/?{back}"


def test_a_released_run_is_not_taken_back_by_the_page_that_showed_it(web: Client, run: Run, boss: Client) -> None:
    web.get(f"/runs/{run.pk}/")
    boss.post(f"/runs/{run.pk}/release/")
    text = web.post(f"/runs/{run.pk}/claim/").text
    assert "You do not hold this run any more." in text and "Hold it again" in text
    assert not Claim.objects.exists()
    assert "yours for" in web.post(f"/runs/{run.pk}/claim/", {"again": "1"}).text


def test_who_was_released_still_submits_where_nobody_else_took_it(web: Client, run: Run, boss: Client) -> None:
    web.get(f"/runs/{run.pk}/")
    boss.post(f"/runs/{run.pk}/release/")
    web.post(f"/runs/{run.pk}/review/", {"decision": "approve"})
    assert ReviewEvent.objects.count() == 1


def test_the_list_says_who_holds_a_run_and_until_when(web: Client, run: Run) -> None:
    queue.take(run.pk, scenes.reviewer("rosa", "Rosa", "Stein"), seconds=200)
    text = web.get("/queue/").text
    assert "Rosa Stein" in text and "3 min left" in text


def test_the_administration_lists_live_claims_and_releases_them(run: Run, boss: Client, me: User) -> None:
    claim = queue.take(run.pk, me)
    listed = boss.get("/admin/review/claim/?live=yes").text
    assert str(run) in listed and "mara" in listed
    assert str(run) not in boss.get("/admin/review/claim/?live=no").text
    boss.post("/admin/review/claim/", {"action": "release", "_selected_action": [claim.pk]})
    assert not Claim.objects.exists()
