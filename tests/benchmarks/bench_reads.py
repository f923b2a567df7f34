"""Reads among histories of any size: window, resolution, lists, statistics, beside the bare statement."""

import sys
from collections.abc import Callable
from typing import Any

from tests.benchmarks import application

NEWEST = (
    "SELECT e.* FROM (SELECT id FROM generation_run WHERE flow = 'item' AND subcategory_id = %s"
    " AND last_review_event_id IS NOT NULL ORDER BY last_reviewed_at DESC, last_review_event_id DESC LIMIT 10) r"
    " JOIN review_reviewevent e ON e.run_id = r.id"
)
QUEUE = (
    "SELECT id, title, changed_at FROM generation_run WHERE (status IN ('awaiting_review', 'needs_human_review')"
    " OR (revision >= 1 AND status = 'failed')) AND changed_at >= %s ORDER BY changed_at, id LIMIT 51"
)
RUNS = "SELECT id, title FROM generation_run WHERE created_at <= %s ORDER BY created_at DESC, id DESC LIMIT 51"
COUNT = "SELECT count(*), count(*) FILTER (WHERE bad_format) FROM review_reviewevent"


def main(size: int, times: int) -> None:
    from django.contrib.auth.models import User
    from django.db import connection

    from generation.guidance import GuidanceRequest
    from generation.models import Run, Subcategory
    from generation.rest.pagination import PageQuery, page
    from learning.insights import cards, stats
    from learning.overview.figures import figures
    from learning.resolver import resolve
    from learning.window import window
    from review.filters import Filters
    from review.pages.listing import listing
    from review.queue import count_waiting
    from tests.benchmarks.measuring import compare

    part = Subcategory.objects.get(slug="part-2")
    user = User.objects.get(username="reviewer1")
    runs = Run.objects.order_by("-created_at", "-id")
    middle = runs[size // 2]

    def bare(statement: str, *values: Any) -> Callable[[], object]:
        def run() -> None:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                cursor.fetchall()

        return run

    def rest(cursor: str = "") -> Any:
        return page(Run.objects.select_related("subcategory"), ("-created_at", "-id"), PageQuery(cursor=cursor))

    rest_place, deep = "", min(1500, size // 200)
    for _ in range(deep):
        rest_place = rest(rest_place).next_cursor or rest_place
    request = GuidanceRequest("item", "extraction", part.pk, None, 1, "guided")
    newest, first = bare(NEWEST, part.pk), bare(QUEUE, "2000-01-01")
    everything: dict[str, Any] = {"baseline": "count of all events", "times": times, "runs": size}

    def side(name: str, ours: Callable[[], object], bare: Callable[[], object], baseline: str) -> None:
        compare(name, ours, bare, baseline=baseline, times=3 * times, runs=size)

    side("window", lambda: window("item", part.pk), newest, "the ten runs' events")
    side("resolution", lambda: resolve(request), newest, "the ten runs' events")
    side("queue, whole list page", lambda: listing(Filters(), user), first, "indexed select of 51")
    side("runs over REST, first page", rest, bare(RUNS, "2999-01-01"), "indexed select of 51")
    side(
        "runs over REST, deep page",
        lambda: rest(rest_place),
        bare(RUNS, middle.created_at),
        "indexed select of 51",
    )
    side("queue, count", count_waiting, first, "indexed select of 51")
    compare("statistics of a subcategory", lambda: stats("item", part), bare(COUNT), **everything)
    compare("statistics of all subcategories", lambda: cards("item"), bare(COUNT), **everything)
    compare("overview, figures", figures, bare(COUNT), **everything)


if __name__ == "__main__":
    application.start()
    main(int(sys.argv[1]), int(sys.argv[2]))
