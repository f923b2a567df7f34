"""A submission that is refused says why, and shows what was typed."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from generation.models import Run, Status
from review.models import Claim, ReviewEvent
from tests import scenes
from tests.factories import UserFactory
from tests.review.reviews import FILLED

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"decision": ""}, "Choose approve, revise or reject."),
        ({"notes": "x" * 4001}, "At most 4000 characters"),
        ({"missing_spec": ["x" * 81]}, "At most 80 characters"),
        ({"missing_spec": [f"name {n}" for n in range(51)]}, "At most 50 names"),
        ({"subcategory": "gone"}, "not known any more"),
    ],
)
def test_what_cannot_be_kept_is_told_at_its_field(
    web: Client, run: Run, changes: dict[str, Any], words: str
) -> None:
    response = web.post(f"/runs/{run.pk}/review/", FILLED | changes)
    assert response.status_code == 422
    assert words in response.text
    assert 'value="vibration, grip"' in response.text
    assert not ReviewEvent.objects.exists()


def test_an_old_revision_is_refused_and_keeps_what_was_typed(web: Client, run: Run) -> None:
    response = web.post(f"/runs/{run.pk}/review/", FILLED | {"revision": "1"})
    assert response.status_code == 409
    assert "Revision 1 was reviewed; the newest is 2." in response.text
    assert "13 mm.</textarea>" in response.text
    assert 'name="revision" value="2"' in response.text


def test_a_run_that_another_took_is_refused_and_keeps_what_was_typed(web: Client, run: Run) -> None:
    other = UserFactory(first_name="Rosa", last_name="Stein")
    Claim.objects.create(run=run, reviewer=other, expires_at=timezone.now() + timedelta(minutes=5))
    response = web.post(f"/runs/{run.pk}/review/", FILLED)
    assert response.status_code == 409
    assert "Rosa Stein is reviewing this run" in response.text
    assert "13 mm.</textarea>" in response.text


@pytest.mark.parametrize("status", [Status.APPROVED, Status.QUEUED])
def test_a_run_that_is_not_up_for_review_any_more_shows_what_was_typed(
    web: Client, run: Run, status: Status
) -> None:
    Run.objects.filter(pk=run.pk).update(status=status)
    response = web.post(f"/runs/{run.pk}/review/", FILLED)
    assert response.status_code == 409
    assert "What you had typed" in response.text
    assert "13 mm." in response.text


def test_a_refused_submission_that_is_reloaded_leads_to_the_run(web: Client, run: Run) -> None:
    assert web.get(f"/runs/{run.pk}/review/").headers["Location"] == f"/runs/{run.pk}/"
