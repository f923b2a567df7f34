"""Administration of review: claims are released, people deactivated, events left alone."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone

from generation.access import make_key
from generation.models import ApiKey, Batch, Run
from review.models import Claim, ReviewPolicy
from tests import people
from tests.factories import ReviewEventFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_releasing_a_claim_frees_its_run() -> None:
    run = RunFactory()
    claim = Claim.objects.create(run=run, reviewer=UserFactory(), expires_at=timezone.now())
    page = people.admin().post(
        "/admin/review/claim/", {"action": "release", "_selected_action": [claim.pk]}, follow=True
    )
    assert b"1 claim released." in page.content
    assert not Claim.objects.exists()


def test_people_are_deactivated_not_deleted_and_nobody_shuts_themself_out() -> None:
    reviewer = ReviewEventFactory().reviewer
    client = people.admin()
    me = User.objects.get(username="mk")
    assert client.post(f"/admin/auth/user/{reviewer.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post("/admin/auth/user/", {"action": "deactivate", "_selected_action": [reviewer.pk, me.pk]})
    reviewer.refresh_from_db()
    me.refresh_from_db()
    assert (reviewer.is_active, me.is_active) == (False, True)


def test_events_offer_no_action() -> None:
    ReviewEventFactory()
    page = people.admin().get("/admin/review/reviewevent/").content.decode()
    assert 'name="action"' not in page
    assert "/add/" not in page.split("admin-main")[1]


def test_groups_are_given_by_name() -> None:
    client = people.admin()
    people.reviewer()
    user = User.objects.get(username="rs")
    page = client.get(f"/admin/auth/user/{user.pk}/change/").content.decode()
    reviewer = Group.objects.get(name="reviewer")
    assert f'name="groups" value="{reviewer.pk}"' in page


@pytest.mark.parametrize(
    ("where", "action", "right"),
    [("review/claim", "release", "delete_claim"), ("generation/apikey", "revoke", "change_apikey")],
)
def test_an_action_needs_its_right_and_looking_is_none(where: str, action: str, right: str) -> None:
    claim = Claim.objects.create(run=RunFactory(), reviewer=UserFactory(), expires_at=timezone.now())
    key, _secret = make_key("ci")
    user = UserFactory(is_staff=True)
    app, model = where.split("/")
    user.user_permissions.add(Permission.objects.get(codename=f"view_{model}"))
    chosen = {"action": action, "_selected_action": [claim.pk if model == "claim" else key.pk]}

    def done() -> bool:
        return not Claim.objects.exists() or ApiKey.objects.filter(revoked_at__isnull=False).exists()

    people.signed_in(user).post(f"/admin/{where}/", chosen)
    assert not done()
    user.user_permissions.add(Permission.objects.get(codename=right, content_type__app_label=app))
    people.signed_in(user).post(f"/admin/{where}/", chosen)
    assert done()


@pytest.mark.parametrize("weak", ["g7#kQ", "password1", "845109823374", "mia.koch.1"])
def test_a_weak_password_is_refused(weak: str) -> None:
    user = UserFactory(username="mia.koch")
    page = people.admin().post(f"/admin/auth/user/{user.pk}/password/", {"password1": weak, "password2": weak})
    assert page.status_code == 200, "the form comes back"
    user.refresh_from_db()
    assert not user.check_password(weak)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"flow": "item", "reviewers": 2}, ""),
        ({"reviewers": 2}, "flow"),
        ({"flow": "item", "batch": True, "reviewers": 2}, "batch"),
        ({"flow": "nowhere", "reviewers": 2}, "flow"),
        ({"flow": "change", "reviewers": 2}, "flow"),
        ({"flow": "item", "reviewers": 0}, "reviewers"),
        ({"flow": "item", "reviewers": 10}, "reviewers"),
        ({"batch": True, "reviewers": 9}, ""),
    ],
)
def test_a_review_policy_is_of_a_flow_or_of_a_batch(given: dict[str, Any], field: str) -> None:
    ReviewPolicy.objects.create(flow="change")
    batch = Batch.objects.create(name="b")
    run = RunFactory(batch=batch)
    body = given | {"batch": batch.pk if given.get("batch") else ""}
    page = people.admin().post("/admin/review/reviewpolicy/add/", body)
    if field:
        assert list(page.context["adminform"].form.errors) == [field]
    else:
        assert page.status_code == 302
        assert Run.objects.get(pk=run.pk).reviews_needed == given["reviewers"]


def test_without_its_policy_one_reviewer_is_enough_again() -> None:
    client = people.admin()
    client.post("/admin/review/reviewpolicy/add/", {"flow": "item", "reviewers": 2, "batch": ""})
    run = RunFactory()
    client.post(f"/admin/review/reviewpolicy/{ReviewPolicy.objects.get().pk}/delete/", {"post": "yes"})
    assert Run.objects.get(pk=run.pk).reviews_needed == 1
