"""Whatever is wrong on the way ends on our sign-in page, in words, with nobody signed in and nobody made."""

import re

import pytest
import requests

from tests.config.oidc.far_end import SIGNATURES, WRONG_CLAIMS, FarEnd
from tests.config.oidc.installation import Browser, Web

UNREACHABLE = "Werkant login cannot be reached at the moment."
UNSOUND = "What Werkant login answered cannot be trusted"
OUTDATED = "This way in was used already, or took too long."
FAULTS = {
    **dict.fromkeys((*WRONG_CLAIMS, *SIGNATURES), UNSOUND),
    "cancelled": "Signing in with Werkant login was cancelled.",
    "not allowed": "Werkant login did not sign you in.",
    "no id_token": UNSOUND,
    "userinfo of another": UNSOUND,
    "discovery of another issuer": UNSOUND,
    "discovery without endpoints": UNSOUND,
    "500 /.well-known/openid-configuration": UNREACHABLE,
    "html /.well-known/openid-configuration": UNREACHABLE,
    "list /.well-known/openid-configuration": UNSOUND,
    "slow /.well-known/openid-configuration": UNREACHABLE,
    "500 /token": UNSOUND,
    "html /token": UNSOUND,
    "list /token": UNSOUND,
    "500 /jwks": UNREACHABLE,
    "html /jwks": UNREACHABLE,
    "list /jwks": UNSOUND,
    "500 /userinfo": UNREACHABLE,
    "html /userinfo": UNREACHABLE,
    "list /userinfo": UNSOUND,
}


def refused(web: Web, guest: Browser, answer: requests.Response, words: str) -> None:
    """On the sign-in page, which works, with the words in it."""
    assert answer.status_code == 200 and answer.url.startswith(f"{web.url}/login/")
    [told] = re.findall(r'<p class="notice notice--error">.*?</svg><span>(.*?)</span></p>', answer.text)
    assert told.startswith(words)
    assert 'id="id_password"' in answer.text and "Sign in with Werkant login" in answer.text
    assert not guest.is_in and web.people() == []
    assert web.sql("SELECT * FROM socialaccount_socialaccount") == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_told(web: Web, guest: Browser, far_end: FarEnd, fault: str) -> None:
    far_end.fault, far_end.person["groups"] = fault, ["it"]
    answer = guest.sign_in("/learning/")
    refused(web, guest, answer, FAULTS[fault])
    assert answer.url.endswith("?next=%2Flearning%2F"), "where to go is not forgotten"
    far_end.fault = ""
    assert guest.sign_in("/learning/").url == f"{web.url}/learning/", "and the next try succeeds"


def test_a_provider_that_is_down_takes_nothing_with_it(web: Web, guest: Browser, far_end: FarEnd) -> None:
    far_end.stop()
    refused(web, guest, guest.sign_in(), UNREACHABLE)
    far_end.start()
    back = guest.back_from(guest.to_the_provider())
    far_end.stop()
    refused(web, guest, guest.get(back), UNREACHABLE)


def test_an_answer_counts_once(web: Web, guest: Browser) -> None:
    back = guest.back_from(guest.to_the_provider())
    assert guest.get(back).url == f"{web.url}/"
    guest.cookies.clear()
    other = guest.get(back)
    assert OUTDATED in other.text and not guest.is_in


def test_the_answer_of_one_browser_is_refused_in_another(web: Web, guest: Browser) -> None:
    """Or a person could be signed in as somebody else unawares."""
    victim = Browser(web)
    victim.to_the_provider()
    refused(web, victim, victim.get(guest.back_from(guest.to_the_provider())), OUTDATED)


def test_the_code_of_one_browser_is_refused_with_the_state_of_another(web: Web, guest: Browser) -> None:
    stolen = re.search("code=([^&]+)", guest.back_from(guest.to_the_provider()))
    assert stolen
    thief = Browser(web)
    back = re.sub("code=[^&]+", f"code={stolen[1]}", thief.back_from(thief.to_the_provider()))
    answer = thief.get(back)  # the provider itself refuses it: the verifier is another
    assert answer.status_code == 200 and answer.url.startswith(f"{web.url}/login/") and not thief.is_in
    assert web.people() == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", OUTDATED),
        ("code=x", OUTDATED),
        ("state=x&code=x", OUTDATED),
        ("state=STATE", "Werkant login did not sign you in."),
        ("state=STATE&error=<script>alert(1)</script>", "Werkant login did not sign you in."),
        ("error=access_denied", OUTDATED),
    ],
)
def test_a_made_up_answer_is_refused(web: Web, guest: Browser, query: str, words: str) -> None:
    state = re.search("state=([^&]+)", guest.to_the_provider())
    assert state
    answer = guest.get(f"{web.url}/login/oidc/callback/?{query.replace('STATE', state[1])}")
    refused(web, guest, answer, words)
    assert "alert(1)" not in answer.text


def test_another_site_cannot_start_it(web: Web, guest: Browser, far_end: FarEnd) -> None:
    for site in ("cross-site", "same-site"):
        answer = guest.get(f"{web.url}/login/oidc/", headers={"Sec-Fetch-Site": site})
        assert answer.url == f"{web.url}/login/" and far_end.asked == []
    guest.get(f"{web.url}/login/oidc/", headers={"Sec-Fetch-Site": "same-origin"})
    assert guest.is_in


def test_too_many_tries_from_one_address_wait(web: Web, guest: Browser, far_end: FarEnd) -> None:
    for _ in range(3):
        Browser(web).sign_in()
    assert web.sql("SELECT sum(count) FROM generation_signincount") == [(0,)], "who signs in uses up nothing"
    guest.to_the_provider()
    web.sql("UPDATE generation_signincount SET count = 50")
    far_end.asked = []
    other = Browser(web)
    assert "Too many failed sign-ins. Try again in 15 minutes." in other.sign_in().text
    assert far_end.asked == [] and not other.is_in


def test_the_log_holds_neither_code_nor_token_nor_name(web: Web, guest: Browser, far_end: FarEnd) -> None:
    back = guest.back_from(guest.to_the_provider())
    guest.get(back)
    far_end.fault = "html /token"
    again = Browser(web)
    again.sign_in()
    log = web.log.read_text()
    assert "signed_in_elsewhere" in log and "code=unsound" in log and "GET /login/oidc/callback/" in log
    for secret in (*re.findall("=([^&]+)", back), "at-secret", "Bad gateway", "preferred_username", "Koch"):
        assert secret not in log
