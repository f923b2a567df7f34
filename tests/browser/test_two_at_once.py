"""Two browsers at once: no run is shown to both, what ran out comes back, nothing that was typed is lost."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from generation.models import Run
from review import queue
from review.models import Claim, ReviewEvent, ReviewForm
from tests import scenes
from tests.factories import DraftFactory, RunFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def rosa(me: User) -> User:
    return scenes.reviewer("rosa", "Rosa", "Stein")


@pytest.fixture
def desk_of(browser: Browser, live_server: LiveServer) -> Iterator[Callable[[User], Page]]:
    """A browser of one's own for each person."""
    contexts = []

    def open_for(user: User) -> Page:
        client = Client()
        client.force_login(user)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        return page

    yield open_for
    for context in contexts:
        context.close()


def make(count: int) -> list[Run]:
    runs: list[Run] = [RunFactory(title=f"Thing {number}") for number in range(1, count + 1)]
    for run in runs:
        DraftFactory(run=run)
    return runs


def open_next(page: Page, live_server: LiveServer) -> str:
    with page.expect_response("**/queue/ahead/**"):
        page.goto(f"{live_server.url}/queue/")
        page.keyboard.press("Enter")
        expect(page.locator("#review-form")).to_be_visible()
    return shown(page)


def shown(page: Page) -> str:
    return page.locator("h1").inner_text()


def approve(page: Page) -> str:
    """Approve what is shown; what comes then."""
    title = shown(page)
    with page.expect_response("**/queue/ahead/**"):
        page.keyboard.press("a")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#notice")).to_contain_text(f"Approved {title}.")
    return shown(page)


def pass_time(seconds: float) -> None:
    """As if it had passed: every claim ends so much sooner."""
    Claim.objects.update(expires_at=F("expires_at") - timedelta(seconds=seconds))


def test_no_run_is_shown_to_both(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User, rosa: User
) -> None:
    make(14)
    mara, other = desk_of(me), desk_of(rosa)
    seen = {me: [open_next(mara, live_server)], rosa: [open_next(other, live_server)]}
    for _ in range(5):
        seen[me].append(approve(mara))
        seen[rosa].append(approve(other))
        assert Claim.objects.count() == 4, "each holds what is shown and what waits unseen"
    assert len({*seen[me], *seen[rosa]}) == len(seen[me]) + len(seen[rosa]) == 12
    for user, titles in seen.items():
        reviewed = ReviewEvent.objects.filter(reviewer=user).order_by("id")
        assert list(reviewed.values_list("run__title", flat=True)) == titles[:5]


def test_two_tabs_of_one_person_have_different_runs(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User
) -> None:
    """Until one is closed: its run comes back first."""
    runs = make(12)
    one = desk_of(me)
    other = one.context.new_page()
    seen = [open_next(one, live_server), open_next(other, live_server)]
    for _ in range(2):
        seen += [approve(one), approve(other)]
    assert len(set(seen)) == len(seen) == 6
    one.goto(f"{live_server.url}/runs/{runs[11].pk}/")
    other.goto(f"{live_server.url}/runs/{runs[11].pk}/")
    for tab in (one, other):
        expect(tab.locator("#notices [role=alert]")).to_have_count(1)
        expect(tab.locator("#notices [role=alert]")).to_contain_text("type in one of them only")
    third = one.context.new_page()
    third.goto(f"{live_server.url}/runs/{runs[11].pk}/")
    for tab in (one, other, third):
        expect(tab.locator("#notices [role=alert]")).to_have_count(1)
    for width in (1280, 390):
        third.set_viewport_size({"width": width, "height": 800})
        icon = third.locator("#notices [role=alert] .icon").bounding_box()
        words = third.locator("#notices [role=alert] span").bounding_box()
        assert icon and words and icon["x"] + icon["width"] < words["x"]
        assert words["y"] <= icon["y"] and icon["y"] + icon["height"] <= words["y"] + words["height"]
    third.close()
    other.close()
    one.goto(f"{live_server.url}/runs/{runs[11].pk}/")
    one.wait_for_load_state("networkidle")
    expect(one.locator("#notices [role=alert]")).to_have_count(0)


def test_a_tab_does_not_overwrite_what_another_saved(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User
) -> None:
    [run] = make(1)
    one = desk_of(me)
    other = one.context.new_page()
    for tab in (one, other):
        tab.goto(f"{live_server.url}/runs/{run.pk}/")
        expect(tab.locator("#review-form")).to_be_visible()
    for word in ("first", "first thought"):
        with one.expect_response("**/form/"):
            one.locator("#notes").fill(word)
        expect(one.locator("#saved")).to_contain_text("half-filled, saved")
    other.locator("#notes").fill("another thought")
    expect(other.locator("#saved")).to_contain_text("changed in another tab")
    other.locator("#notes").fill("another thought, and more")
    assert ReviewForm.objects.get().notes == "first thought"
    other.reload()
    expect(other.locator("#notes")).to_have_value("first thought")
    with other.expect_response("**/form/"):
        other.get_by_role("button", name="Put back what you typed in this tab").click()
    expect(other.locator("#notes")).to_have_value("another thought, and more")
    expect(other.locator("#saved")).to_contain_text("half-filled, saved")
    assert ReviewForm.objects.get().notes == "another thought, and more"


def test_what_waits_in_another_tab_alone_is_told(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User
) -> None:
    make(1)
    one = desk_of(me)
    one.goto(f"{live_server.url}/queue/")
    one.keyboard.press("Enter")
    expect(one.locator("#review-form")).to_be_visible()
    one.wait_for_load_state("networkidle")
    other = one.context.new_page()
    other.goto(f"{live_server.url}/queue/")
    other.keyboard.press("Enter")
    expect(other.locator("#messages")).to_contain_text("open in another tab")
    one.close()
    other.wait_for_function("async () => !(await navigator.locks.query()).held.length")  # soon, not at once
    other.keyboard.press("Enter")
    expect(other.locator("#review-form")).to_be_visible()


def test_a_closed_page_frees_its_runs(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User, rosa: User
) -> None:
    make(2)
    mara = desk_of(me)
    open_next(mara, live_server)
    mara.close()
    assert queue.claim_next(rosa) is None
    pass_time(settings.PREFETCH_CLAIM_SECONDS)
    unseen = queue.claim_next(rosa)
    assert unseen and unseen.run.title == "Thing 2"
    assert queue.claim_next(rosa, exclude=[unseen.run_id]) is None
    pass_time(settings.CLAIM_SECONDS)
    first = queue.claim_next(rosa, exclude=[unseen.run_id])
    assert first and first.run.title == "Thing 1"


def test_what_ran_out_comes_to_another_and_nothing_typed_is_lost(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User, rosa: User
) -> None:
    make(1)
    mara, other = desk_of(me), desk_of(rosa)
    mara.goto(f"{live_server.url}/runs/{Run.objects.get().pk}/")
    mara.wait_for_load_state("networkidle")
    mara.keyboard.press("n")
    mara.keyboard.type("a long thought")
    mara.keyboard.press("Escape")
    pass_time(settings.CLAIM_SECONDS)  # the laptop was closed
    other.goto(f"{live_server.url}/queue/")
    other.keyboard.press("Enter")
    expect(other.locator("#review-form")).to_be_visible()
    mara.keyboard.press("a")
    mara.keyboard.press("Control+Enter")
    expect(mara.locator("#notices [role=alert]")).to_contain_text("Rosa Stein is reviewing this run")
    expect(mara.locator("#notes")).to_have_value("a long thought")
    expect(mara.locator("[name=decision]:checked")).to_have_value("approve")
    other.wait_for_load_state("networkidle")
    other.keyboard.press("x")
    other.keyboard.press("Control+Enter")
    expect(other.locator("#notice")).to_contain_text("Rejected Thing 1.")
    mara.keyboard.press("Control+Enter")
    expect(mara.locator("[role=alert]")).to_contain_text("This run is rejected")
    expect(mara.locator("main")).to_contain_text("Rosa Stein")
    expect(mara.locator("main")).to_contain_text("a long thought")
    assert ReviewEvent.objects.count() == 1


def test_a_run_that_was_lost_unseen_is_not_shown(
    desk_of: Callable[[User], Page], live_server: LiveServer, me: User, rosa: User
) -> None:
    runs = make(4)
    mara, other = desk_of(me), desk_of(rosa)
    open_next(mara, live_server)
    pass_time(settings.PREFETCH_CLAIM_SECONDS)
    assert open_next(other, live_server) == "Thing 2", "and Thing 3 waits there unseen"
    assert approve(mara) == "Thing 4"
    expect(mara).to_have_url(f"{live_server.url}/runs/{runs[3].pk}/")
