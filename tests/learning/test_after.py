"""What a review moved, as the notice after it tells: never before one's own review, and then the strips."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.template import engines
from django.test import RequestFactory

from generation.models import Run, Status
from learning.after import After, after
from tests.factories import RunFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, reviewed, said, summarise, taken_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia() -> User:
    user: User = UserFactory(username="mia")
    return user


def told(run: Run, user: User) -> str:
    request = RequestFactory().get("/")
    request.user = user
    template = engines["django"].from_string("{% load after %}{% after_review run %}")
    return template.render({"run": run}, request)


def test_before_ones_own_review_nothing_is_told(mia: User) -> None:
    run = reviewed(SubcategoryFactory(), {"bad_format": True})
    assert isinstance(after(run, mia), str)
    assert "strip" not in told(run, mia)


def test_the_strips_that_it_raised_stand_with_its_cell_marked(mia: User) -> None:
    drills = SubcategoryFactory()
    history(drills, [[{"bad_format": True}], [{}]])
    run = RunFactory(subcategory=drills)
    said(run, reviewer_id=mia.pk, bad_format=True, wrong_information=False)
    found = after(run, mia)
    assert isinstance(found, After) and [str(strip.label) for strip in found.moved] == ["Bad format"]
    text = told(run, mia)
    assert text.count("data-strip") == text.count("is-new") == 1
    assert f"/learning/{drills.slug}/?flow=item" in text


def test_a_clean_review_moves_nothing_and_says_so(mia: User) -> None:
    run = RunFactory()
    said(run, reviewer_id=mia.pk)
    assert "No strip moved" in told(run, mia)


@pytest.mark.parametrize(
    ("waits", "words"),
    [(True, "it counts once round 2 is decided"), (False, "none of the run&#x27;s reviews counts in the window")],
)
def test_a_run_that_is_not_in_the_window_is_no_clean_run(mia: User, waits: bool, words: str) -> None:
    status = Status.AWAITING_REVIEW if waits else Status.APPROVED
    run = RunFactory(status=status, round=2, reviews_needed=2, reviews_from=1 if waits else None)
    event = said(run, reviewer_id=mia.pk, bad_format=True, round=2)
    if not waits:
        taken_back(event, "left_out")
    summarise(run)
    text = told(run, mia).replace("'", "&#x27;")
    assert words in text and "clean run" not in text


def test_a_missing_field_that_others_miss_less_is_shown_all_the_same(mia: User) -> None:
    drills = SubcategoryFactory()
    history(drills, [[{"missing_spec": ["weight"]}] for _ in range(3)])
    run = RunFactory(subcategory=drills)
    said(run, reviewer_id=mia.pk, missing_spec=["voltage"])
    assert "Missing: voltage" in told(run, mia)


def test_a_run_without_subcategory_teaches_nothing(mia: User) -> None:
    run = RunFactory(subcategory=None)
    said(run, reviewer_id=mia.pk, bad_format=True)
    assert "Without a subcategory" in told(run, mia)


@pytest.mark.django_db(transaction=True)
def test_where_learning_fails_the_notice_goes_without(mia: User) -> None:
    run = RunFactory()
    said(run, reviewer_id=mia.pk)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE learning_switch RENAME TO elsewhere")
    try:
        assert told(run, mia) == ""
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO learning_switch")
