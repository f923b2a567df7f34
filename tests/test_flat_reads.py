"""What people and workers wait for reads as much of ten times the history: buffers, not time, are counted."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from generation.guidance import GuidanceRequest
from generation.models import Run, Subcategory
from generation.rest.pagination import PageQuery, page
from learning.insights import cards, stats
from learning.overview.figures import figures
from learning.resolver import resolve
from learning.window import window
from review.pages.listing import Filters, listing
from review.queue import claim_next, count_waiting, waiting
from review.recording import Fields, submit
from tests.benchmarks.filling import fill

# Of a small table the planner reads its one page where it makes ten lookups in a large one: up to twice as much.
# What reads a history reads ten times as much.
GROWS_AT_MOST = 2
SUBCATEGORIES = 4  # so that among the fewer runs, too, each has more reviews than anything reads


def part() -> Subcategory:
    return Subcategory.objects.get(slug="part-2")


def reviewer() -> User:
    return User.objects.get(username="reviewer1")


def deep() -> str | None:
    """The cursor of a page whose place is deep in the queue, whatever the queue's length."""
    runs = Run.objects.up_for_review().order_by("changed_at", "id")
    found = waiting(limit=runs.count() * 2 // 3)
    return found.next_cursor


def resolve_all() -> None:
    for stage in ("extraction", "formatter", "supervisor"):
        resolve(GuidanceRequest("item", stage, part().pk, None, 1, "guided"))


def review() -> None:
    claim = claim_next(reviewer())
    assert claim
    submit(claim.run_id, Fields(decision="approve", bad_format=True), reviewer=reviewer())


def rest_page(cursor: str) -> Any:
    return page(Run.objects.select_related("subcategory"), ("-created_at", "-id"), PageQuery(cursor=cursor))


READS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "window": lambda _: lambda: window("item", part().pk),
    "resolution": lambda _: resolve_all,
    "claim": lambda _: lambda: claim_next(reviewer()),
    "claim and submit": lambda _: review,
    "first page of the queue": lambda _: lambda: waiting(),
    "deep page of the queue": lambda cursor: lambda: waiting(cursor=cursor),
    "the queue's page": lambda _: lambda: listing(Filters(), reviewer()),
    "first page of runs": lambda _: lambda: rest_page(""),
    "count of the queue": lambda _: count_waiting,
    "statistics": lambda _: lambda: stats("item", part()),
    "statistics of all": lambda _: lambda: cards("item"),
    "figures": lambda _: figures,
}


class Buffers:
    """Explains every statement before it runs, and adds up the buffers that it touched."""

    def __init__(self) -> None:
        self.touched = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip().startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")):
            with connection.connection.cursor() as cursor:
                cursor.execute("SAVEPOINT explained")
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
                [[found]] = cursor.fetchall()
                cursor.execute("ROLLBACK TO SAVEPOINT explained")
            [plan] = json.loads(found) if isinstance(found, str) else found
            self.touched += plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
        return execute(sql, params, many, context)


def touched(read: Callable[[], object]) -> int:
    with transaction.atomic():
        read()  # what is prepared once (guidance rows, hint bits) is prepared
        transaction.set_rollback(True)
    buffers = Buffers()
    with transaction.atomic(), connection.execute_wrapper(buffers):
        read()
        transaction.set_rollback(True)
    return buffers.touched


def measured(runs: int) -> Iterator[tuple[str, int]]:
    fill(runs, SUBCATEGORIES)
    cursor = deep()
    for name, prepared in READS.items():
        yield name, touched(prepared(cursor))


@pytest.mark.django_db(transaction=True)
def test_reads_touch_no_more_of_ten_times_the_history(transactional_db: None) -> None:
    small = dict(measured(1_000))
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("TRUNCATE generation_run, generation_subcategory, auth_user, review_tally CASCADE")
        cursor.execute("RESET session_replication_role")
    large = dict(measured(10_000))
    grown = {name: (small[name], large[name]) for name in small if large[name] > GROWS_AT_MOST * small[name] + 2}
    assert not grown
