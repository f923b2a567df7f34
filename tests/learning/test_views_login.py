"""Signing in: one page for all, the same refusal for every reason."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests import people

pytestmark = pytest.mark.django_db
REFUSAL = "This name and password do not fit together."


@pytest.fixture(autouse=True)
def _people() -> None:
    reviewer = people.a_reviewer("rs")
    reviewer.set_password("right")
    reviewer.save()
    User.objects.create_user("gone", password="right", is_active=False)


def sign_in(**given: str) -> tuple[int, str]:
    response = Client().post("/login/", given)
    return response.status_code, response.content.decode()


def test_the_right_password_leads_to_the_page_that_was_asked_for() -> None:
    response = Client().post("/login/", {"username": "rs", "password": "right", "next": "/learning/"})
    assert response["Location"] == "/learning/"


def test_no_other_site_is_led_to() -> None:
    response = Client().post("/login/", {"username": "rs", "password": "right", "next": "https://example.org/"})
    assert response["Location"] == "/"


def test_after_a_refusal_the_password_is_typed_next() -> None:
    _status, text = sign_in(username="rs", password="wrong")
    assert [tag for tag in text.split("<input")[1:] if "autofocus" in tag and 'name="password"' in tag]


def test_every_refusal_reads_the_same() -> None:
    answers = {
        sign_in(username=name, password=password)[1]
        .replace(name, "NAME")
        .split('name="csrfmiddlewaretoken"')[1][90:]
        for name, password in (("rs", "wrong"), ("nobody", "wrong"), ("gone", "right"))
    }
    assert len(answers) == 1
    assert REFUSAL in answers.pop()


def test_errors_stand_at_their_field_and_the_name_is_kept() -> None:
    status, page = sign_in(username="rs", password="wrong")
    assert status == 422
    assert 'value="rs"' in page
    assert page.index('id="id_password"') < page.index(REFUSAL)
    assert 'aria-describedby="id_password_error"' in page
    _status, page = sign_in(username="", password="x")
    assert page.index('id="id_username"') < page.index("This field is required.") < page.index('id="id_password"')


def test_signing_out_is_a_post() -> None:
    client = Client()
    client.login(username="rs", password="right")
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/learning/").status_code == 302


def test_administration_has_no_door_of_its_own() -> None:
    response = Client().get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/login/?next=%2Fadmin%2F"


def test_a_session_that_was_foisted_on_somebody_is_not_the_one_they_sign_in_with() -> None:
    attacker = Client()
    attacker.get("/login/")
    foisted = attacker.session  # made here, with a key that the attacker knows
    foisted["planted"] = "x"
    foisted.save()
    victim = Client()
    victim.cookies[settings.SESSION_COOKIE_NAME] = str(foisted.session_key)
    assert victim.post("/login/", {"username": "rs", "password": "right"}).status_code == 302
    assert victim.session.session_key != foisted.session_key
    attacker.cookies[settings.SESSION_COOKIE_NAME] = str(foisted.session_key)
    assert attacker.get("/").status_code == 302 and victim.get("/").status_code == 200


def test_a_new_password_ends_the_sessions_of_the_old_one() -> None:
    client, user = Client(), User.objects.get(username="rs")
    client.force_login(user)
    assert client.get("/").status_code == 200
    user.set_password("another one")
    user.save()
    assert client.get("/").status_code == 302


def test_a_sign_in_from_another_site_is_refused() -> None:
    foreign = Client(enforce_csrf_checks=True)
    assert foreign.post("/login/", {"username": "rs", "password": "right"}).status_code == 403
    assert foreign.get("/").status_code == 302


def test_no_other_site_and_no_script_gets_the_session() -> None:
    cookie = (
        Client().post("/login/", {"username": "rs", "password": "right"}).cookies[settings.SESSION_COOKIE_NAME]
    )
    assert (cookie["samesite"], cookie["httponly"]) == ("Lax", True)
