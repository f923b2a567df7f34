"""Submit and next: what the server does for each review of a day at the desk, through the whole of Django."""

import sys
from statistics import quantiles
from typing import Any

from tests.benchmarks import application


def main(size: int, times: int) -> None:
    """times: tens of reviews, as far as runs wait."""
    from django.contrib.auth.models import User
    from django.db import connection

    from generation.models import Run
    from tests.benchmarks.desk import Desk
    from tests.benchmarks.measuring import milliseconds, report

    desk = Desk(User.objects.get(username="reviewer3"))
    reviews = min(10 * times, Run.objects.up_for_review().count() // 5)

    def one() -> None:
        desk.fetch()
        desk.submit()

    queries = 0

    def count(execute: Any, *statement: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*statement)

    with connection.execute_wrapper(count):
        one()
    fetched, submitted = [], []
    for _number in range(reviews + 2):
        desk.go_on()
        fetched.append(milliseconds(desk.fetch))
        submitted.append(milliseconds(desk.submit))
    both = [sum(one) for one in zip(fetched[2:], submitted[2:], strict=True)]  # the first two warm the caches

    def middle_and_end(taken: list[float]) -> dict[str, float]:
        cuts = quantiles(taken, n=20)
        return {"p50_ms": round(cuts[9], 2), "p95_ms": round(cuts[18], 2)}

    report(
        "submit and next",
        runs=size,
        times=reviews,
        requests=2,
        queries=queries,
        **middle_and_end(both),
        submit=middle_and_end(submitted[2:]),
        fetch_ahead=middle_and_end(fetched[2:]),
    )


if __name__ == "__main__":
    application.start()
    main(int(sys.argv[1]), int(sys.argv[2]))
