"""A run watched live, from its creation to its review: over uvicorn, by a provider that answers when it is let."""

import queue
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.fixtures import Settings

from config.asgi import application
from generation import following, looking, pipeline, providers, runs
from generation.batches import create_many
from generation.intake import parse
from generation.looking import Seen
from generation.models import Run, Status
from generation.providers.base import ProviderError, Request
from review.models import Claim
from tests.factories import SubcategoryFactory
from tests.generation.scripted import PROVIDER, Scripted
from tests.streams import serving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WAIT = 60  # seconds, for what should happen at once


class Slow:
    """The scripted provider, answering one call per `let`; the runs are worked on in threads."""

    def __init__(self, script: Scripted) -> None:
        self.script = script
        self.asked: queue.Queue[str] = queue.Queue()
        self.may = threading.Semaphore(0)
        self.threads: list[threading.Thread] = []
        script.before = self._before

    def _before(self, request: Request) -> None:
        self.asked.put(request.stage)
        assert self.may.acquire(timeout=240)

    def start(self, run: Run) -> None:
        Run.objects.filter(pk=run.pk, next_attempt_at__isnull=False).update(next_attempt_at=Now())
        thread = threading.Thread(target=_generate, args=[run], daemon=True)
        thread.start()
        self.threads.append(thread)

    def reaches(self, stage: str) -> None:
        """Wait until that stage is asked."""
        assert self.asked.get(timeout=WAIT) == stage

    def let(self, calls: int = 1) -> None:
        for _call in range(calls):
            self.may.release()

    def end(self) -> None:
        self.let(50)
        for thread in self.threads:
            thread.join(WAIT)


def _generate(run: Run) -> None:
    try:
        pipeline.generate(run.pk)
    finally:
        connection.close()


@pytest.fixture
def slow(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    monkeypatch.setitem(providers.PROVIDERS, "scripted", "tests.generation.scripted")
    settings.FOLDBACK_PROVIDER = "scripted"
    PROVIDER.play()
    provider = Slow(PROVIDER)
    yield provider
    provider.end()
    PROVIDER.play()


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(looking, "POLL_SECONDS", 0.05)
    with serving(application) as port:
        yield f"http://localhost:{port}"


@pytest.fixture
def run(slow: Slow, me: User) -> Run:
    slug = SubcategoryFactory(slug="drills", name="Cordless drills").slug
    return runs.create(parse({"flow": "item", "subcategory": slug, "source": {"title": "Makita DHP484"}}))


def lanes(page: Page) -> list[str]:
    """Names, badges and outcomes of the lanes, without their times."""
    said = page.locator(".lane").all_inner_texts()
    return [re.sub(r"\d+( ms|\.\d s| s)", "", " ".join(text.split())).replace("  ", " ").strip() for text in said]


def until(page: Page, expected: list[str]) -> None:
    expect(page.locator(".lane")).to_have_count(len(expected))
    last = expected[-1].split()[-1]
    expect(page.locator(".lane").last).to_contain_text(last)
    assert lanes(page) == expected


def test_a_run_is_watched_from_its_creation_to_its_review(app: Page, address: str, run: Run, slow: Slow) -> None:
    slow.script.play(supervisor=["FAIL: the voltage", "FAIL: still the voltage", "PASS"])
    slow.script.before = slow._before
    app.goto(f"{address}/runs/{run.pk}/")
    expect(app.locator("#progress")).to_contain_text("Waiting for a worker")
    app.evaluate("window.stays = true")  # gone, if the page were loaded again
    slow.start(run)
    slow.reaches("extraction")
    until(app, ["Extraction running"])
    expect(app.locator(".run-bar .state")).to_have_text("Generating")
    wide = width(app)
    app.wait_for_timeout(1200)
    assert width(app) != wide, "its bar grows while nothing is told"
    for stage in ("supervisor", "extraction", "supervisor"):
        slow.let()
        slow.reaches(stage)
    until(app, ["Extraction", "Supervisor REVIEW 1 failed it", "Extraction FIX 2", "Supervisor REVIEW 2 running"])
    for stage in ("extraction", "supervisor"):
        slow.let()
        slow.reaches(stage)
    expect(app.locator("#told")).to_have_text("Being judged, attempt 3")
    slow.let()
    expect(app.get_by_role("link", name="Review it")).to_be_visible()
    assert lanes(app)[-1] == "Supervisor REVIEW 3 passed"
    expect(app.locator(".run-bar .state")).to_have_text("Awaiting review")
    expect(app.locator("#told")).to_have_text("Awaiting review")
    assert app.evaluate("window.stays")
    app.get_by_role("link", name="Review it").click()
    expect(app.locator("#review-form")).to_be_visible()
    made = app.locator("#made")
    made.locator("summary").click()
    expect(made.locator(".lane")).to_have_count(6)


def width(page: Page) -> str | None:
    return page.locator("[data-grows]").get_attribute("width")


def test_for_who_holds_the_run_the_review_opens_by_itself(
    app: Page, address: str, run: Run, slow: Slow, me: User
) -> None:
    Claim.objects.create(run=run, reviewer=me, expires_at=timezone.now() + timedelta(minutes=5))
    app.goto(f"{address}/runs/{run.pk}/")
    slow.start(run)
    slow.reaches("extraction")
    slow.let(2)
    expect(app.locator("#review-form")).to_be_visible()


def test_a_run_that_is_postponed_says_why_and_goes_on(app: Page, address: str, run: Run, slow: Slow) -> None:
    overloaded = ProviderError("overloaded", "HTTP 529", retryable=True)
    slow.script.lines["extraction"].insert(0, overloaded)
    app.goto(f"{address}/runs/{run.pk}/")
    slow.start(run)
    slow.reaches("extraction")
    slow.let()
    reason = app.locator("#progress .reason")
    expect(reason).to_contain_text("The provider is overloaded; it comes again in")
    first = reason.locator("[data-left]").inner_text()
    expect(reason.locator("[data-left]")).not_to_have_text(first)  # it counts down
    until(app, ["Extraction The provider is overloaded", "Wait The provider is overloaded"])
    slow.start(run)
    slow.reaches("extraction")
    expect(reason).to_have_count(0)
    slow.let(2)
    expect(app.get_by_role("link", name="Review it")).to_be_visible()


def test_a_failed_run_says_why_and_offers_no_review(app: Page, address: str, run: Run, slow: Slow) -> None:
    slow.script.lines["extraction"] = [ProviderError("unauthorized", "HTTP 401: invalid x-api-key")]
    app.goto(f"{address}/runs/{run.pk}/")
    slow.start(run)
    slow.let()
    expect(app.locator(".reason")).to_contain_text("The provider does not accept the key or the account.")
    expect(app.locator(".reason")).to_contain_text("HTTP 401")
    app.get_by_role("link", name="Open the run").click()
    expect(app.locator("main")).to_contain_text("ended without a record")


def test_a_lost_connection_comes_back_behind_the_last_event(
    page: Page, me: User, sign_in: Callable[[User], None], run: Run, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server goes away in the middle and comes back at the same address."""
    sign_in(me)
    behind: list[int] = []
    events = following.events

    def noted(run_id: UUID, after: int, seen: Seen, **more: bool) -> AsyncIterator[str]:
        behind.append(after)
        return events(run_id, after, seen, **more)

    monkeypatch.setattr(following, "events", noted)
    with serving(application) as port:
        page.goto(f"http://localhost:{port}/runs/{run.pk}/")
        slow.start(run)
        slow.reaches("extraction")
        expect(page.locator(".lane")).to_have_count(1)
    expect(page.locator("[data-lost]")).to_be_visible()
    slow.let()
    slow.reaches("supervisor")
    with serving(application, port):
        expect(page.locator(".lane")).to_have_count(2, timeout=60_000)
        expect(page.locator("[data-lost]")).to_be_hidden()
        for _look in range(100):  # the fragment may be there before the stream is
            if len(behind) > 1:
                break
            page.wait_for_timeout(100)
        assert behind[0] == 0 and behind[1] >= run.node_events.order_by("id")[0].pk
        slow.let()
        expect(page.get_by_role("link", name="Review it")).to_be_visible()


def test_a_tab_in_the_background_holds_no_stream(app: Page, address: str, run: Run, slow: Slow) -> None:
    asked: list[str] = []
    app.on("request", lambda request: asked.append(request.url) if "/events/" in request.url else None)
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    with app.expect_event("requestfailed", lambda request: "/events/" in request.url):
        app.goto(f"{address}/runs/{run.pk}/")
        app.wait_for_timeout(300)
        app.evaluate(hide, True)
    slow.start(run)
    slow.reaches("extraction")
    app.wait_for_timeout(300)
    expect(app.locator(".lane")).to_have_count(0)
    app.evaluate(hide, False)
    until(app, ["Extraction running"])
    assert len(asked) == 2


def test_without_a_script_a_link_refreshes(
    browser: Browser, context: BrowserContext, app: Page, address: str, run: Run, slow: Slow
) -> None:
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(f"{address}/runs/{run.pk}/")
    slow.start(run)
    slow.reaches("extraction")
    page.get_by_role("link", name="Refresh").click()
    until(page, ["Extraction running"])
    slow.let(2)
    slow.end()
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("#review-form")).to_be_visible()
    plain.close()


def test_nothing_moves_for_who_asks_for_no_motion(app: Page, address: str, run: Run, slow: Slow) -> None:
    slow.start(run)
    slow.reaches("extraction")
    app.goto(f"{address}/runs/{run.pk}/")
    icon = app.locator(".lane--running > .icon")
    assert icon.evaluate("(one) => getComputedStyle(one).animationName") == "none"
    app.emulate_media(reduced_motion="no-preference")
    assert icon.evaluate("(one) => getComputedStyle(one).animationName") == "turn"


def test_what_is_read_aloud_is_no_flood(app: Page, address: str, run: Run, slow: Slow) -> None:
    """A burst of events changes the polite region once, to what holds at its end."""
    watch: Any = """() => {
      window.said = [];
      new MutationObserver(() => window.said.push(document.getElementById("told").textContent))
        .observe(document.getElementById("told"), { childList: true });
    }"""
    slow.script.play(supervisor=["FAIL: a", "FAIL: b", "PASS"])
    app.goto(f"{address}/runs/{run.pk}/")
    app.evaluate(watch)
    slow.start(run)
    expect(app.locator("#told")).to_have_text("Awaiting review")
    assert len(app.evaluate("window.said")) <= 3


def test_a_revise_leads_to_its_next_round_live(app: Page, address: str, run: Run, slow: Slow) -> None:
    slow.start(run)
    slow.reaches("extraction")
    app.goto(f"{address}/runs/{run.pk}/")
    slow.let(2)
    slow.reaches("supervisor")
    app.get_by_role("link", name="Review it").click()
    app.locator("label.revise").click()
    app.get_by_role("button", name="Send back and next").click()
    app.get_by_role("link", name="Follow its next round").click()
    expect(app.locator(".lap")).to_have_text(["Round 1", "Round 2"])
    expect(app.locator(".lane").last).to_contain_text("for a worker")
    slow.start(run)
    slow.reaches("extraction")
    expect(app.locator(".lane--running")).to_contain_text("Extraction")
    slow.let(2)
    app.get_by_role("link", name="Review it").click()
    expect(app.locator("#review-form")).to_be_visible()
    expect(app.locator("main")).to_contain_text("sent round 1 back")


def test_a_batch_is_watched_until_it_is_over_and_then_asks_no_more(app: Page, address: str, slow: Slow) -> None:
    slug = SubcategoryFactory(slug="drills").slug
    bodies = [{"flow": "item", "subcategory": slug, "source": {"title": f"Drill {n}"}} for n in range(2)]
    batch, ids, _bad = create_many(bodies, name="Autumn")
    assert batch is not None
    first, second = (Run.objects.get(pk=run_id) for run_id in ids)
    app.goto(f"{address}/batches/{batch.pk}/")
    expect(app.locator(".shares")).to_have_text(re.compile(r"\s*2 queued\s*"))
    slow.start(first)
    slow.reaches("extraction")
    expect(app.locator(".now li")).to_contain_text("Extraction")
    app.locator(f"#run-{second.pk}").focus()
    slow.let(2)
    expect(app.locator(".sums")).to_contain_text("1 of 2")
    expect(app.locator(f"#run-{second.pk}")).to_be_focused()  # though the list was drawn anew
    slow.script.lines["extraction"] = [ProviderError("unauthorized", "HTTP 401")]
    slow.start(second)
    slow.let()
    expect(app.locator(".wrong")).to_contain_text("The provider does not accept the key or the account")
    expect(app.locator("#told")).to_have_text("All runs are over; some failed.")
    asked: list[str] = []
    app.on("request", lambda request: asked.append(request.url))
    app.wait_for_timeout(2500)
    assert asked == []


def test_a_lane_of_a_decided_run_opens_its_prompt(app: Page, address: str, run: Run, slow: Slow) -> None:
    slow.start(run)
    slow.let(2)
    slow.end()
    Run.objects.update(status=Status.APPROVED)
    app.goto(f"{address}/runs/{run.pk}/")
    app.locator("#made > summary").click()
    prompt = app.locator(f"#call-{run.calls.get(stage='extraction').pk} pre").first
    expect(prompt).to_be_hidden()
    app.locator(".lane").get_by_role("link", name="Extraction").click()
    expect(prompt).to_be_visible()
    expect(prompt).to_be_in_viewport()
