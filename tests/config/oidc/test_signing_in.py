"""Signing in at a provider that behaves: who is made, who is known again, and what they may do."""

from typing import Any

import pytest

from tests.config.oidc.far_end import FarEnd
from tests.config.oidc.installation import Browser, Web


def test_who_comes_the_first_time_is_made_without_rights(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.person |= {"email": "mia@example.org", "email_verified": True}
    answer = guest.sign_in("/learning/")
    assert (answer.status_code, answer.url) == (403, f"{web.url}/learning/")
    assert "You are signed in, and have no role here yet." in answer.text
    assert web.people() == [("mia", [])]
    [row] = web.sql("SELECT first_name, last_name, email, password FROM auth_user WHERE username = 'mia'")
    assert row[:3] == ("Mia", "Koch", "") and row[3].startswith("!"), "no mail address kept, no password that fits"
    assert web.sql("SELECT provider, uid, extra_data::text FROM socialaccount_socialaccount") == [
        (far_end.issuer, far_end.person["sub"], "{}")
    ]
    for path in ("", "queue/"):
        assert guest.get(f"{web.url}/{path}").status_code == 403


@pytest.mark.parametrize(
    ("groups", "may"),
    [
        (["record-team"], ["reviewer"]),
        ("record-team", ["reviewer"]),
        (["leads", "record-team", "lunch"], ["adjudicator", "reviewer"]),
        (["it"], ["admin"]),
        (["lunch"], []),
        (["Record-Team"], []),
        ([["it"], 7, None], []),
        ({"it": True}, []),
        (None, []),
    ],
)
def test_the_claim_says_what_they_may(
    web: Web, guest: Browser, far_end: FarEnd, groups: Any, may: list[str]
) -> None:
    far_end.person["groups"] = groups
    guest.sign_in()
    assert web.people() == [("mia", may)]


@pytest.mark.parametrize("later", [[], ["leads"], None])
def test_a_withdrawn_claim_takes_the_group_at_the_next_sign_in(
    web: Web, guest: Browser, far_end: FarEnd, later: list[str] | None
) -> None:
    far_end.person["groups"] = ["record-team", "it"]
    guest.sign_in()
    web.sql("INSERT INTO auth_group (name) VALUES ('auditors') ON CONFLICT DO NOTHING")
    web.sql(
        "INSERT INTO auth_user_groups (user_id, group_id) SELECT auth_user.id, auth_group.id"
        " FROM auth_user, auth_group WHERE username = 'mia' AND name = 'auditors'"
    )
    assert web.people() == [("mia", ["auditors", "reviewer", "admin"])]
    far_end.person["groups"] = later
    Browser(web).sign_in()
    assert web.people() == [("mia", ["adjudicator", "auditors"] if later else ["auditors"])]


def test_what_only_userinfo_tells_counts_too(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.person = {"sub": "7"}
    far_end.in_userinfo = {"name": "Mia Koch", "groups": ["record-team"]}
    guest.sign_in()
    assert web.people() == [("Mia.Koch", ["reviewer"])]


def test_the_signed_claim_wins_over_userinfo(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.person["groups"] = []
    far_end.in_userinfo = {"groups": ["it"]}
    guest.sign_in()
    assert web.people() == [("mia", [])]


def test_a_provider_without_userinfo_will_do(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.fault = "no userinfo"
    guest.sign_in()
    assert guest.is_in


def test_a_person_is_known_again_by_the_subject_alone(web: Web, guest: Browser, far_end: FarEnd) -> None:
    guest.sign_in()
    far_end.person |= {"preferred_username": "mia.stein", "family_name": "Stein", "email": "other@example.org"}
    Browser(web).sign_in()
    assert web.people() == [("mia", [])]


@pytest.mark.parametrize("name", ["mia", "MIA"])
def test_an_account_of_that_name_or_mail_address_is_never_taken_over(
    web: Web, guest: Browser, far_end: FarEnd, name: str
) -> None:
    web.manage("shell", "-c", f"User.objects.create_superuser('{name}', 'mia@example.org', 'x')")
    far_end.person |= {"email": "mia@example.org", "email_verified": True}
    guest.sign_in()
    (old, _), (new, may) = web.people()
    assert old == name and new.startswith("mia-") and may == []


def test_two_subjects_of_one_name_are_two_people(web: Web, guest: Browser, far_end: FarEnd) -> None:
    guest.sign_in()
    far_end.person["sub"] = "another"
    Browser(web).sign_in()
    assert len(web.people()) == 2


def test_the_same_subject_at_another_issuer_is_another_person(web: Web, guest: Browser) -> None:
    guest.sign_in()
    web.sql("UPDATE socialaccount_socialaccount SET provider = 'https://login.example.org'")
    Browser(web).sign_in()
    assert len(web.people()) == 2


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({}, "person"),
        ({"preferred_username": "mia@example.org"}, "mia@example.org"),
        ({"preferred_username": "ünal/ö \0 x"}, "ünal.ö.x"),
        ({"preferred_username": 7, "name": ["x"]}, "person"),
        ({"preferred_username": "a" * 300}, "a" * 150),
    ],
)
def test_names_are_made_storable(
    web: Web, guest: Browser, far_end: FarEnd, said: dict[str, Any], name: str
) -> None:
    far_end.person = {"sub": "7", "given_name": "\0" + "b" * 300, **said}
    guest.sign_in()
    assert web.people() == [(name, [])]


def test_a_closed_account_stays_closed(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.person["groups"] = ["it"]
    guest.sign_in()
    web.sql("UPDATE auth_user SET is_active = false, is_superuser = false WHERE username = 'mia'")
    later = Browser(web)
    assert "your account here is closed" in later.sign_in().text
    assert not later.is_in and not guest.is_in
    assert web.people() == [("mia", [])], "the claim gives nothing either"


def test_an_admin_links_a_person_who_was_here_before(web: Web, guest: Browser, far_end: FarEnd) -> None:
    guest.sign_in()
    web.manage("shell", "-c", "User.objects.create_user('old')")
    said = web.manage("link_person", "old", far_end.person["sub"]).stdout
    assert said == f"{far_end.person['sub']} signs in as old, and no longer mia\n"
    later = Browser(web)
    assert "Signed in as old" in later.sign_in("/learning/").text
    assert len(web.people()) == 2
    for wrong in (("nobody", "7"), ("old", ""), ("old", "a" * 192)):
        assert web.manage("link_person", *wrong, check=False).returncode == 1


def test_erasing_a_person_drops_who_they_are_there(web: Web, guest: Browser) -> None:
    guest.sign_in()
    web.manage("erase_person", "mia")
    assert web.sql("SELECT * FROM socialaccount_socialaccount") == []
    assert not guest.is_in
    Browser(web).sign_in()
    assert [name for name, _ in web.people()][1] == "mia", "a new person, without rights"


def test_passwords_still_do(web: Web, guest: Browser) -> None:
    web.manage("shell", "-c", "User.objects.create_user('local', password='right')")
    page = guest.get(f"{web.url}/login/")
    assert "Sign in with Werkant login" in page.text
    sent = {"username": "local", "password": "right", "csrfmiddlewaretoken": guest.cookies["csrftoken"]}
    guest.post(f"{web.url}/login/", sent, headers={"Referer": f"{web.url}/login/"})
    assert guest.is_in
    assert guest.sign_in("/learning/").url == f"{web.url}/learning/" and web.people() == [("local", [])]


@pytest.mark.parametrize(
    "following", ["https://example.org/", "//example.org", "javascript:alert(1)", "/\\example.org"]
)
def test_no_other_site_is_led_to(web: Web, guest: Browser, following: str) -> None:
    assert guest.sign_in(following).url == f"{web.url}/"
    assert guest.sign_in(following).url == f"{web.url}/", "nor where one is in already"


def test_the_button_takes_along_where_to_go(web: Web, guest: Browser) -> None:
    page = guest.get(f"{web.url}/learning/")
    assert page.url.startswith(f"{web.url}/login/?next=")
    assert 'href="/login/oidc/?next=%2Flearning%2F"' in page.text
