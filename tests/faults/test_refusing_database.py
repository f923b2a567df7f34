"""A database that refuses every write, or every word: a clear answer, and what was typed can be sent again."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from generation.access import make_key
from generation.models import Run
from review.models import ReviewEvent
from tests import scenes

pytestmark = pytest.mark.django_db(transaction=True)

FILLED = {
    "revision": "2", "decision": "revise", "bad_format": "yes", "missing_spec": ["vibration", "grip"],
    "notes": "Line 7 says <13 mm>.\nLook again.",
}  # fmt: skip


@contextmanager
def read_only() -> Iterator[None]:
    """As a standby, or a server whose disk is full."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")


@contextmanager
def away() -> Iterator[None]:
    """Nobody answers at its address."""
    place = connection.settings_dict["OPTIONS"]["host"]
    connection.close()
    connection.settings_dict["OPTIONS"]["host"] = "/nowhere"
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["OPTIONS"]["host"] = place


REFUSALS = {"read only": read_only, "away": away}


@pytest.fixture
def run() -> Run:
    return scenes.drill(scenes.subcategories()["drills"])


@pytest.fixture
def web() -> Client:
    me: User = scenes.reviewer()
    client = Client(raise_request_exception=False)
    client.force_login(me)
    return client


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_review_that_cannot_be_saved_comes_back_as_typed_and_is_sent_again(
    web: Client, run: Run, refusal: str
) -> None:
    with REFUSALS[refusal]():
        answer = web.post(f"/runs/{run.pk}/review/", FILLED)
    assert answer.status_code == 503 and answer["Retry-After"]
    assert "The database takes nothing at the moment, so this was not saved." in answer.text
    assert "&lt;13 mm&gt;" in answer.text and "default-src" in answer["Content-Security-Policy"]
    assert not ReviewEvent.objects.exists()

    form = re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', answer.text, re.DOTALL)
    assert form
    again = re.findall(r'<textarea name="(\w+)" hidden>\n(.*?)</textarea>', form[2], re.DOTALL)
    sent: dict[str, Any] = {}
    for name, value in again:
        sent.setdefault(name, []).append(value.replace("&lt;", "<").replace("&gt;", ">"))
    assert web.post(form[1], sent).status_code == 302
    event = ReviewEvent.objects.get()
    assert (event.decision, event.bad_format, event.missing_spec) == ("revise", True, ["vibration", "grip"])
    assert event.notes == FILLED["notes"]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_page_that_cannot_be_opened_says_why(web: Client, run: Run, refusal: str) -> None:
    with REFUSALS[refusal]():
        answer = web.get(f"/runs/{run.pk}/")
    assert answer.status_code == 503 and "The database takes nothing" in answer.text
    assert "<form" not in answer.text


@pytest.mark.parametrize("refusal", REFUSALS)
def test_the_api_answers_a_problem(run: Run, refusal: str) -> None:
    _key, secret = make_key("caller")
    client = Client(raise_request_exception=False)
    body = {"flow": "item", "source": {"title": "x"}}
    with REFUSALS[refusal]():
        answer = client.post(
            "/api/v1/runs", body, content_type="application/json", headers={"authorization": f"Bearer {secret}"}
        )
    assert answer.status_code == 503 and answer["Content-Type"] == "application/problem+json"
    assert answer["Retry-After"] and "takes nothing at the moment" in answer.json()["detail"]
    assert Run.objects.count() == 1


def test_a_password_is_never_shown_again() -> None:
    client = Client(raise_request_exception=False)
    scenes.reviewer()
    with away():
        answer = client.post("/login/", {"username": "mara", "password": "correct horse"})
    assert answer.status_code == 503
    assert "correct horse" not in answer.text and "mara" not in answer.text


def test_what_broke_for_another_reason_is_told_apart(web: Client, run: Run) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE review_claim RENAME TO gone")
    try:
        answer = web.post(f"/runs/{run.pk}/review/", FILLED)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE gone RENAME TO review_claim")
    assert answer.status_code == 500 and "Something broke on our side" in answer.text
    assert "takes nothing" not in answer.text and "vibration" in answer.text
