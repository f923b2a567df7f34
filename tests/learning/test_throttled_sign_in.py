"""Guessing passwords: slowed by name and address, the same for names that there are and that there are not."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from generation.models import SignInCount
from generation.sign_ins import attempt, forget_old, house

pytestmark = pytest.mark.django_db
HERE, ELSEWHERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture(autouse=True)
def _person() -> None:
    User.objects.create_user("rs", password="right")


def sign_in(name: str, password: str, address: str = HERE) -> HttpResponse:
    return Client(REMOTE_ADDR=address).post("/login/", {"username": name, "password": password})  # type: ignore[return-value]


def fail(times: int, name: str = "rs", address: str = HERE) -> list[int]:
    return [sign_in(name, "wrong", address).status_code for _ in range(times)]


def test_after_five_failures_the_right_password_is_not_looked_at_either() -> None:
    assert fail(6) == [422] * 5 + [429]
    refused = sign_in("rs", "right")
    assert refused.status_code == 429
    assert 800 < int(refused["Retry-After"]) <= 900
    assert b"Try again in 15 minutes." in refused.content and b'value="rs"' in refused.content
    assert sign_in("rs", "right", ELSEWHERE).status_code == 302


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Client-IP", "True-Client-IP"])
def test_another_address_in_a_header_is_not_believed(header: str) -> None:
    """Which proxy may say so is uvicorn's to know: it hands on the address that counts."""
    tried = [
        Client(REMOTE_ADDR=HERE, headers={header: f"203.0.113.{n}"}).post(
            "/login/", {"username": "rs", "password": "wrong"}
        )
        for n in range(6)
    ]
    assert [one.status_code for one in tried] == [422] * 5 + [429]


@pytest.mark.parametrize("off", [-1, 1], ids=["behind", "ahead"])
def test_a_process_whose_clock_is_off_lets_nobody_try_more_often(off: int) -> None:
    fail(5)
    with time_machine.travel(timezone.now() + timedelta(hours=off), tick=True):
        assert fail(1) == [429]


def test_names_that_there_are_not_are_answered_alike() -> None:
    answers = {}
    for name in ("rs", "nobody"):
        tried = [sign_in(name, "wrong") for _ in range(6)]
        answers[name] = [
            (
                one.status_code,
                one.content.decode().replace(f'"{name}"', "NAME").split("csrfmiddlewaretoken")[1][90:],
            )
            for one in tried
        ]
    assert answers["rs"] == answers["nobody"]


def test_a_name_is_the_same_in_any_case_and_between_blanks() -> None:
    for name in ("rs", "RS", " rs", "Rs ", "rS"):
        fail(1, name)
    assert sign_in("rs", "right").status_code == 429


def test_signing_in_forgets_the_failures_before() -> None:
    fail(4)
    assert sign_in("rs", "right").status_code == 302
    assert fail(5) == [422] * 5


def test_when_the_window_is_over_the_count_begins_anew() -> None:
    fail(6)
    SignInCount.objects.update(began_at=Now() - timedelta(seconds=899))
    assert sign_in("rs", "right").status_code == 429
    SignInCount.objects.update(began_at=Now() - timedelta(seconds=901))
    assert sign_in("rs", "right").status_code == 302


def test_one_address_may_not_try_name_after_name(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES = {"both": 5, "address": 3, "name": 100}
    assert [fail(1, f"name{number}")[0] for number in range(4)] == [422, 422, 422, 429]
    assert sign_in("rs", "right").status_code == 429
    assert sign_in("rs", "right", ELSEWHERE).status_code == 302


def test_those_who_sign_in_use_up_nothing_of_their_house(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES = {"both": 5, "address": 3, "name": 3}
    assert [sign_in("rs", "right").status_code for _ in range(5)] == [302] * 5


def test_many_addresses_may_not_try_one_name(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES = {"both": 5, "address": 50, "name": 3}
    assert [fail(1, "rs", f"192.0.2.{number}")[0] for number in range(4)] == [422, 422, 422, 429]


def test_who_is_refused_already_does_not_shut_the_name_out_elsewhere(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES = {"both": 2, "address": 50, "name": 4}
    fail(20)
    assert sign_in("rs", "right", ELSEWHERE).status_code == 302


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "", True),
    ],
)
def test_an_address_of_ipv6_is_its_network(one: str, other: str, same: bool) -> None:
    assert (house(one) == house(other)) is same


def test_neither_names_nor_addresses_are_stored_and_old_counts_go() -> None:
    attempt("a password typed as a name", HERE)
    assert all(
        len(key) == 64 and "password" not in key for key in SignInCount.objects.values_list("key", flat=True)
    )
    assert forget_old() == 0
    SignInCount.objects.update(began_at=Now() - timedelta(hours=1))
    assert forget_old() == 3
    assert not SignInCount.objects.exists()
