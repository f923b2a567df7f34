"""Pictures of runs in the making and of a batch: `python -m pytest tests/browser/shots_live.py --shots FOLDER`."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from generation import prompts
from generation.models import (
    Batch,
    Call,
    DeferredCall,
    Judgement,
    NodeEvent,
    PromptVersion,
    Run,
    Status,
    Subcategory,
)
from tests import scenes
from tests.browser.conftest import SignIn
from tests.browser.shots import SIZES, THEMES, folder, take
from tests.factories import DraftFactory, RunFactory

__all__ = ["folder"]
# stage, badge, attempt, when it began and how long it took (None: it runs), what it ended with
Visit = tuple[str, str, int, float, float | None, str]
FIXED: list[Visit] = [
    ("categorizer", "", 1, 0, 1.4, ""),
    ("extraction", "", 1, 1.5, 14.2, ""),
    ("formatter", "", 1, 15.8, 3.1, ""),
    ("supervisor", "REVIEW", 1, 19, 4.6, "failed"),
    ("extraction", "FIX", 2, 23.7, 11.8, ""),
    ("supervisor", "REVIEW", 2, 35.6, 4.1, "failed"),
    ("extraction", "FIX", 3, 39.8, 6.2, ""),
]
PASSED: list[Visit] = [
    *FIXED[:-1],
    ("extraction", "FIX", 3, 39.8, 12.5, ""),
    ("supervisor", "REVIEW", 3, 52.4, 3.9, "passed"),
]
AGAIN: list[Visit] = [("extraction", "", 1, 0, 12.2, ""), ("supervisor", "REVIEW", 1, 12.3, 3.3, "passed")]


def play(run: Run, visits: list[Visit], began: datetime, round: int = 1) -> None:
    """The events, calls and judgements of these visits."""
    draft = run.drafts.order_by("revision").first() or DraftFactory(run=run)
    for stage, badge, attempt, start, length, end in visits:
        place: dict[str, Any] = {"run": run, "node": stage, "badge": badge, "attempt": attempt, "round": round}
        at = began + timedelta(seconds=start)
        NodeEvent.objects.create(kind="node_enter", created_at=at, **place)
        if length is None:
            continue
        code = end if end not in ("", "passed", "failed", "unavailable") else ""
        done = at + timedelta(seconds=length)
        Call.objects.create(
            run=run, round=round, cycle=attempt, stage=stage, provider="anthropic", model="claude-sonnet-5-5",
            attempt=run.calls.filter(round=round, cycle=attempt, stage=stage).count() + 1,
            system="You extract product records.", user=f"<source>\n{run.title}\n</source>", answer="{}",
            input_tokens=2180 + 310 * attempt, output_tokens=int(40 * length),
            cost_usd=f"{0.006 + length / 900:.4f}", duration_ms=int(1000 * length), created_at=done,
            error={"code": code, "detail": code} if code else None,
        )  # fmt: skip
        NodeEvent.objects.create(kind="node_complete", created_at=done, detail=code, **place)
        if badge == "REVIEW" and not code:
            Judgement.objects.create(
                run=run, draft=draft, round=round, cycle=attempt, kind=stage, outcome=end, created_at=done,
                result={"feedback": scenes.FEEDBACK},
            )  # fmt: skip


def told(run: Run, status: str, at: datetime, detail: str = "", round: int = 1) -> None:
    NodeEvent.objects.create(run=run, kind="status", node=status, detail=detail, created_at=at, round=round)


def scene() -> dict[str, str]:
    """Name → address."""
    sub, now = scenes.subcategories()["drills"], timezone.now()

    def new(title: str, status: str, **given: Any) -> Run:
        run: Run = RunFactory(title=title, subcategory=sub, status=status, **given)
        return run

    fixing = new("Nordhaus AB 18-60 Li", Status.FIXING, revision=3)
    play(fixing, [*FIXED[:-1], ("extraction", "FIX", 3, 39.8, None, "")], now - timedelta(seconds=46))
    fresh = new("Bohrständer BS 45", Status.GENERATING, revision=0)
    NodeEvent.objects.create(run=fresh, kind="node_enter", node="categorizer", created_at=now)
    postponed = new(
        "Hofmeister HB 12", Status.QUEUED, revision=0, attempts=2, next_attempt_at=now + timedelta(seconds=47),
        error={"code": "overloaded", "detail": "the provider is overloaded or broken, HTTP 529, overloaded_error"},
    )  # fmt: skip
    began = now - timedelta(minutes=4)
    first: list[Visit] = [("categorizer", "", 1, 0, 1.1, ""), ("extraction", "", 1, 1.2, 9.4, "overloaded")]
    play(postponed, first, began)
    told(postponed, "queued", began + timedelta(seconds=11), "overloaded")
    told(postponed, "generating", now - timedelta(seconds=40))
    play(postponed, [("extraction", "", 1, 0, 31, "overloaded")], now - timedelta(seconds=40))
    told(postponed, "queued", now - timedelta(seconds=9), "overloaded")
    failed = new(
        "Handwaage HW 5", Status.FAILED, revision=0,
        error={"code": "unauthorized", "detail": "the provider does not accept our key or account, HTTP 401"},
    )  # fmt: skip
    play(failed, [("categorizer", "", 1, 0, 0.4, "unauthorized")], began)
    told(failed, "failed", began, "unauthorized")
    reviewable = scenes.drill(sub, title="Werkant SD 10")
    play_times(reviewable, began)
    done = new("Ladegerät AL 30", Status.APPROVED, round=2)
    DraftFactory(run=done, content=scenes.DRILL)
    play(done, PASSED, began)
    told(done, "queued", now - timedelta(seconds=60), round=2)
    told(done, "generating", now - timedelta(seconds=55), round=2)
    play(done, AGAIN, now - timedelta(seconds=55), round=2)
    names = {"fixing": fixing, "fresh": fresh, "postponed": postponed, "failed": failed}
    names |= {"reviewable": reviewable, "done": done}
    addresses = {name: f"/runs/{run.pk}/" for name, run in names.items()}
    return addresses | {
        "batch": f"/batches/{batch(sub, now).pk}/",
        "economy": f"/batches/{economy(sub, now).pk}/",
    }


def economy(sub: Subcategory, now: datetime) -> Batch:
    """Most of it waits for the provider's batch interface."""
    made = Batch.objects.create(name="Spring catalogue", spend_cap_usd="12.50", cost_usd="1.2210")
    version = PromptVersion.objects.first() or prompts.version_for("item", "extraction", {})
    for number in range(60):
        status = Status.AWAITING_REVIEW if number < 12 else Status.REVIEWING if number < 30 else Status.GENERATING
        run = RunFactory(batch=made, subcategory=sub, title=f"Article {2000 + number}", status=status)
        if 12 <= number < 58:
            DeferredCall.objects.create(
                run=run, round=1, cycle=1, stage="extraction", number=1, provider="anthropic", size=1,
                prompt_version=version, parcel={}, state="waiting" if number > 50 else "sent",
                created_at=now - timedelta(minutes=number),
            )  # fmt: skip
    return made


def play_times(run: Run, began: datetime) -> None:
    """A fix, around the judgements that the run has already."""
    for visit in PASSED[1:2] + PASSED[3:6]:
        stage, badge, attempt, start, length, _end = visit
        for kind, at in (("node_enter", start), ("node_complete", start + (length or 0))):
            NodeEvent.objects.create(
                run=run, kind=kind, node=stage, badge=badge, attempt=attempt,
                created_at=began + timedelta(seconds=at),
            )  # fmt: skip


def batch(sub: Subcategory, now: datetime) -> Batch:
    made = Batch.objects.create(name="Autumn catalogue", spend_cap_usd="12.50", cost_usd="8.2144")
    Batch.objects.filter(pk=made.pk).update(created_at=now - timedelta(minutes=12))
    for number in range(240):
        status, error = _fate(number)
        run: Run = RunFactory(
            batch=made, subcategory=sub, title=f"Article {1000 + number}", status=status, error=error,
            revision=int(status not in (Status.QUEUED, Status.GENERATING)), cost_usd="0.0342",
            started_at=now - timedelta(seconds=5 + number / 9), changed_at=now - timedelta(seconds=3 * number),
        )  # fmt: skip
        if status in (Status.GENERATING, Status.REVIEWING, Status.FIXING):
            node, badge, attempt = {
                Status.GENERATING: ("extraction", "", 1),
                Status.REVIEWING: ("supervisor", "REVIEW", 1),
            }.get(Status(status), ("extraction", "FIX", 2))
            NodeEvent.objects.create(
                run=run, kind="node_enter", node=node, badge=badge, attempt=attempt,
                created_at=now - timedelta(seconds=number % 23),
            )  # fmt: skip
    return made


def _fate(number: int) -> tuple[str, dict[str, str] | None]:
    if number < 30:
        return Status.APPROVED, None
    if number < 110:
        return Status.AWAITING_REVIEW, None
    if number < 122:
        return Status.NEEDS_HUMAN_REVIEW, {"code": "fixes_exhausted", "detail": "failed 3 judgements"}
    if number < 129:
        return Status.FAILED, {"code": "unauthorized", "detail": "HTTP 401"}
    if number < 132:
        return Status.FAILED, {"code": "malformed_answer", "detail": "extraction answered twice without JSON"}
    if number < 134:
        return Status.STOPPED, {"code": "cancelled", "detail": "cancelled by a person"}
    if number < 142:
        return (Status.GENERATING, Status.REVIEWING, Status.FIXING, Status.GENERATING)[number % 4], None
    if number < 151:
        return Status.QUEUED, {"code": "rate_limited", "detail": "HTTP 429"}
    return Status.QUEUED, None


@pytest.mark.parametrize("size", SIZES)
def test_shots(page: Page, live_server: LiveServer, folder: Path, me: User, sign_in: SignIn, size: str) -> None:
    addresses = scene()
    User.objects.filter(pk=me.pk).update(is_superuser=True)  # sees tokens and cost, too
    sign_in(me)
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    page.route("**/events/**", lambda route: route.abort())
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        for name, address in addresses.items():
            page.goto(live_server.url + address)
            if size == "390" and name == "reviewable":
                page.locator("#step-source").check(force=True)
            if name in ("reviewable", "done"):
                page.locator("#made > summary").click()
                page.locator("#made").scroll_into_view_if_needed()
            page.wait_for_timeout(150)
            take(page, folder, f"live-{name}-{theme}-{size}", full_page=name == "done")
