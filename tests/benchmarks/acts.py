"""What must cost the same whatever the history: the acts that people, callers and workers wait for."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from generation.guidance import GuidanceRequest
from generation.models import Run, Subcategory
from generation.rest.pagination import PageQuery, page
from learning.insights import cards, stats
from learning.overview.figures import figures
from learning.resolver import resolve
from learning.views.overview import Page as Overview
from learning.window import window
from review.filters import Filters
from review.finding import Finder
from review.pages.listing import listing
from review.queue import claim_next, count_waiting
from review.recording import Fields, submit
from tests.benchmarks.desk import Desk
from tests.callers import Caller

Act = Callable[[], object]
# Every page that people open who lead others, by its address; at least those of learning.
PAGES = (
    "/learning/", "/learning/part-2/", "/learning/part-2/life/", "/learning/evidence/", "/learning/judges/",
    "/learning/judges/runs/?flow=item&criterion=verdict&of=passes", "/learning/people/",
    "/learning/people/?what=bad_format", "/learning/cost/",
)  # fmt: skip
NEWEST = ("-created_at", "-id")


def acts() -> dict[str, Act]:
    """By name, for the database that is open now; each may be done again and again, in `undone`."""
    part, person = Subcategory.objects.get(slug="part-2"), User.objects.get(username="reviewer1")
    person.has_perm("review.add_reviewform")  # as every page asks before
    middle = _deep_in_the_runs()
    call, admin = Caller(), Client()
    admin.force_login(User.objects.get(username="reviewer2"))

    def review() -> None:
        claim = claim_next(person)
        assert claim
        submit(claim.run_id, Fields(decision="approve", bad_format=True), reviewer=person)

    def at_the_desk() -> None:
        desk = Desk(person)
        desk.fetch()
        desk.submit()

    def get(path: str, **query: str) -> Act:
        return lambda: _ok(call.get(path, **query))

    def shown(**given: str) -> Act:
        return lambda: listing(Filters.of(given), person)

    def opened(path: str) -> Act:
        return lambda: _ok(admin.get(path))

    far = Finder(Filters(view="all"), person).page(Run.objects.count() * 2 // 3).next_cursor
    return {
        "window": lambda: window("item", part.pk),
        "resolution": lambda: resolve(GuidanceRequest("item", "extraction", part.pk, None, 1, "guided")),
        "resolution, three stages": lambda: [
            resolve(GuidanceRequest("item", stage, part.pk, None, 1, "guided"))
            for stage in ("extraction", "formatter", "supervisor")
        ],
        "resolution under steady": _steadily(
            lambda: resolve(GuidanceRequest("item", "extraction", part.pk, None, 1, "guided"))
        ),
        "claim": lambda: claim_next(person),
        "claim and submit": review,
        "submit and next": at_the_desk,
        "queue, count": count_waiting,
        "queue, whole list page": lambda: listing(Filters(), person),
        "failed runs, whole list page": lambda: listing(Filters(view="failed"), person),
        "all runs, whole list page": shown(view="all"),
        "all runs, deep page": shown(view="all", cursor=far),
        "list of a subcategory": shown(subcategory="part-2"),
        "list of a flow": shown(flow="item"),
        "list of a status": shown(view="all", status="rejected"),
        "list of an outcome": shown(view="all", outcome="passed"),
        "list of an outcome that no run has": shown(view="all", outcome="skipped"),
        "list of an institution": shown(view="all", institution="house-2"),
        "list of a batch": shown(view="all", batch=str(Run.objects.order_by(*NEWEST)[0].batch_id)),
        "list of who holds": shown(holder="reviewer1"),
        "list of who reviewed": shown(view="all", reviewer="reviewer1"),
        "list of some days": shown(view="all", after="2020-01-01", before="2100-01-01"),
        "search, a word that all have": shown(view="all", text="length"),
        "search, a word that one in a thousand has": shown(view="all", text="zither"),
        "search, a word that one in a hundred has": shown(view="all", text="cittern"),
        "search, a word that ten runs have": shown(view="all", text="psaltery"),
        "search, two words that all have": shown(view="all", text="length text"),
        "search in the queue, a word that all have": shown(text="length"),
        "search, no word": shown(view="all", text="unheardof"),
        "runs over REST, first page": lambda: _runs(""),
        "runs over REST, deep page": lambda: _runs(middle),
        "runs that a person reviewed, over REST": get("/runs", reviewed_by="reviewer1", limit="1"),
        "subcategories over REST": get("/subcategories"),
        "statistics of a subcategory": lambda: stats("item", part),
        "statistics of all subcategories": lambda: cards("item"),
        "overview, figures": figures,
        "overview, whole page": Overview.read,
        **{f"page {path}": opened(path) for path in PAGES},
        "runs in the administration": lambda: _ok(admin.get("/admin/generation/run/")),
        "reviews in the administration": lambda: _ok(admin.get("/admin/review/reviewevent/")),
    }


def undone(act: Act) -> None:
    """The act in a transaction that is rolled back."""
    with transaction.atomic():
        act()
        transaction.set_rollback(True)


def _steadily(act: Act) -> Act:
    """With the policy `steady`, where nobody chose one."""

    def do() -> None:
        chosen, settings.FOLDBACK_POLICY = settings.FOLDBACK_POLICY, "steady"
        try:
            act()
        finally:
            settings.FOLDBACK_POLICY = chosen

    return do


def _runs(cursor: str) -> Any:
    return page(Run.objects.select_related("subcategory"), NEWEST, PageQuery(cursor=cursor))


def _deep_in_the_runs() -> str:
    at = Run.objects.order_by(*NEWEST)[Run.objects.count() // 2].created_at
    found = page(Run.objects.filter(created_at__lte=at), NEWEST, PageQuery(limit=1)).next_cursor
    assert found
    return found


def _ok(response: Any) -> None:
    assert response.status_code == 200, response.content
