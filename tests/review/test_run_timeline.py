"""The timeline on the pages of a run: in the making, up for review, decided; who sees what of it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from generation import progress
from generation.models import Call, Injection, Judgement, Run, Status
from review.models import Claim
from tests import scenes
from tests.factories import DraftFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(UserFactory(is_superuser=True, is_staff=True))
    return client


def made(status: str, **given: Any) -> Run:
    """A run that was fixed once; its first call was told to check every size."""
    run: Run = RunFactory(status=status, **given)
    draft = DraftFactory(run=run)
    scenes.trail(run)
    Call.objects.update(input_tokens=1240, output_tokens=310, cost_usd="0.0042")
    for cycle, outcome in ((1, "failed"), (2, "passed")):
        Judgement.objects.create(
            run=run, draft=draft, round=1, cycle=cycle, kind="supervisor", outcome=outcome, result={}
        )
    call = run.calls.order_by("id")[0]
    Injection.objects.create(call=call, placeholder="EXTRACTION_REVIEW", text="Check every size.", reason="x")
    return run


def lanes(text: str) -> list[str]:
    """Each lane's words, without its marks."""
    found = re.findall(r'<li class="lane .*?</li>', text, re.S)
    return [" ".join(re.sub(r"<[^>]*>", " ", lane).split()) for lane in found]


def test_a_run_in_the_making_shows_its_stages_and_follows_its_events(web: Client) -> None:
    run = made(Status.REVIEWING, revision=1)
    progress.entered(run.id, "supervisor", badge="REVIEW", round=1, attempt=3)
    text = web.get(f"/runs/{run.pk}/").text
    assert lanes(text)[:4] == [
        "Extraction 40 ms",
        "Supervisor REVIEW 1 80 ms failed it",
        "Extraction FIX 2 120 ms",
        "Supervisor REVIEW 2 160 ms passed",
    ]
    assert re.fullmatch(r"Supervisor REVIEW 3 \d+ s running", lanes(text)[4])
    newest = run.node_events.latest("id").pk
    assert f'data-live="/runs/{run.pk}/events/" data-after="{newest}"' in text
    assert 'aria-live="polite"' in text and '<noscript><a href="">Refresh</a></noscript>' in text
    assert 'data-says="Being judged, attempt 3"' in text


def test_when_it_is_over_the_fragment_offers_the_review_and_follows_nothing(web: Client) -> None:
    run = made(Status.AWAITING_REVIEW)
    text = web.get(f"/runs/{run.pk}/progress/").text
    assert text.lstrip().startswith('<div id="progress"')
    assert "data-live" not in text and "data-opens" not in text and "Review it" in text
    assert '<span id="run-status" hx-swap-oob="true">' in text


@pytest.mark.parametrize(("minutes", "opens"), [(5, True), (-5, False)])
def test_for_who_holds_the_run_the_review_opens(web: Client, me: User, minutes: int, opens: bool) -> None:
    run = made(Status.AWAITING_REVIEW)
    Claim.objects.create(run=run, reviewer=me, expires_at=timezone.now() + timedelta(minutes=minutes))
    assert (f'data-opens="/runs/{run.pk}/"' in web.get(f"/runs/{run.pk}/progress/").text) is opens


@pytest.mark.parametrize(
    ("error", "wait", "words"),
    [
        (
            {"code": "overloaded", "detail": "busy"},
            90,
            ["The provider is overloaded", "it comes again in", "busy"],
        ),
        ({"code": "spend_cap", "detail": ""}, 7200, ["Today&#x27;s spend cap is reached", "2 h"]),
        ({"code": "batch_spend_cap", "detail": ""}, 10**7, ["cap of its batch", "when the cap is raised"]),
        ({"code": "internal_error", "detail": "KeyError"}, -9, ["Something broke here", "any moment", "KeyError"]),
        ({"code": "of_an_adopter", "detail": ""}, None, ["Of an adopter", "it waits for a worker"]),
        (None, None, ["Waiting for a worker"]),
    ],
)
def test_a_run_that_waits_says_why_and_until_when(
    web: Client, error: Any, wait: float | None, words: list[str]
) -> None:
    at = None if wait is None else timezone.now() + timedelta(seconds=wait)
    run = RunFactory(status=Status.QUEUED, revision=0, error=error, next_attempt_at=at)
    text = web.get(f"/runs/{run.pk}/").text
    for expected in words:
        assert expected in text
    assert ("data-left" in text) is (wait == 90)


def test_an_error_that_it_got_over_is_not_told(web: Client) -> None:
    run = RunFactory(status=Status.GENERATING, revision=0, error={"code": "overloaded", "detail": "busy"})
    assert "overloaded" not in web.get(f"/runs/{run.pk}/").text


def test_a_failed_run_says_why_in_plain_words_and_in_the_providers(web: Client) -> None:
    run = RunFactory(status=Status.FAILED, revision=0, error={"code": "unauthorized", "detail": "HTTP 401"})
    text = web.get(f"/runs/{run.pk}/").text
    assert "<strong>The provider does not accept the key or the account.</strong>" in text and "HTTP 401" in text


FIGURES, PROMPT = ("1,240 tokens in, 310 out", "$0.0042"), ("#call-", "You extract product records.")


def seen(client: Client, run: Run, words: tuple[str, ...]) -> bool:
    """Whether the page shows all of these words; it never shows some."""
    text = client.get(f"/runs/{run.pk}/").text
    found = {word in text for word in words}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("status", "revision", "reviewer", "steering"),
    # who sees tokens and cost, and who sees prompts
    [
        (Status.FIXING, 1, (False, False), (True, False)),  # in the making there is no list of calls to lead to
        (Status.AWAITING_REVIEW, 1, (False, False), (False, False)),
        (Status.FAILED, 1, (False, False), (False, False)),  # up for review, too
        (Status.FAILED, 0, (False, False), (True, True)),
        (Status.STOPPED, 1, (False, False), (True, True)),
        (Status.APPROVED, 1, (True, True), (True, True)),
        (Status.REJECTED, 1, (True, True), (True, True)),
    ],
)
def test_before_the_review_nobody_sees_what_it_read(
    web: Client,
    admin: Client,
    status: str,
    revision: int,
    reviewer: tuple[bool, bool],
    steering: tuple[bool, bool],
) -> None:
    run = made(status, revision=revision)
    assert (seen(web, run, FIGURES), seen(web, run, PROMPT)) == reviewer
    Claim.objects.all().delete()
    assert (seen(admin, run, FIGURES), seen(admin, run, PROMPT)) == steering
    assert len(lanes(web.get(f"/runs/{run.pk}/").text)) == 4, "stages and times are everybody's"


def test_after_sending_back_the_own_round_is_open_and_the_next_is_not(web: Client) -> None:
    run = made(Status.AWAITING_REVIEW)
    web.post(f"/runs/{run.pk}/review/", {"decision": "revise", "revision": "1"})
    progress.entered(run.id, "extraction", badge="", round=2, attempt=1)
    progress.completed(run.id, "extraction", badge="", round=2, attempt=1)
    Call.objects.create(
        run=run, round=2, stage="extraction", provider="demo", input_tokens=2999, output_tokens=5, cost_usd="0.07"
    )
    Run.objects.update(status=Status.GENERATING)
    text = web.get(f"/runs/{run.pk}/").text
    assert "1,240 tokens in" in text and "2,999 tokens in" not in text and "Round 2" in text
    Run.objects.update(status=Status.STOPPED)
    text = web.get(f"/runs/{run.pk}/").text
    assert "You extract product records." in text and "its prompt is shown once its round is reviewed" in text


def test_bars_lie_within_their_axis_and_carry_no_style(web: Client) -> None:
    text = web.get(f"/runs/{made(Status.APPROVED).pk}/").text
    bars = re.findall(r'<rect class="bar [^"]*" x="([\d.]+)%" width="([\d.]+)%"', text)
    assert len(bars) == 4
    assert all(float(x) + float(width) <= 100.01 and float(width) > 0 for x, width in bars)
    assert "style=" not in text


@pytest.mark.parametrize("name", ["", "/progress", "/events"])
def test_queries_do_not_grow_with_what_happened(
    web: Client, name: str, django_assert_max_num_queries: Any
) -> None:
    run = RunFactory(status=Status.GENERATING)
    for attempt in range(1, 20):
        progress.entered(run.id, "extraction", badge="FIX", round=1, attempt=attempt)
        Call.objects.create(run=run, cycle=attempt, stage="extraction", provider="demo")
    with django_assert_max_num_queries(12):
        web.get(f"/runs/{run.pk}{name}/")


def test_strangers_follow_nothing(client: Client) -> None:
    run = RunFactory(status=Status.GENERATING)
    assert client.get(f"/runs/{run.pk}/events/").status_code == 302
    client.force_login(UserFactory())
    assert client.get(f"/runs/{run.pk}/events/").status_code == 403
