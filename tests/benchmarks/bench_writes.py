"""Claiming, submitting and importing, alone and by eight at once, beside the bare insert and COPY."""

import json
import sys
from collections import deque
from typing import Any

from tests.benchmarks import application

AT_ONCE = 8  # connections
ROWS = 1000  # of an import


def main(size: int, times: int) -> None:
    """times: acts of each connection at once; alone, of each of five rounds."""
    from django.contrib.auth.models import User
    from django.db import connection

    from generation.models import Run
    from review.models import Claim
    from review.queue import claim_next
    from review.recording import Fields, submit
    from tests.benchmarks.measuring import compare, per_second, report

    waiting = Run.objects.up_for_review().count()
    alone = min(10 * times, waiting // 3)
    each = min(2 * times, (waiting - alone - 10) // AT_ONCE)
    people = list(User.objects.filter(username__startswith="reviewer").order_by("pk"))
    for person in people:
        person.has_perm("review.add_reviewform")  # as every page asks before
    free, claims = iter(people[AT_ONCE * each :]), deque[Any]()
    fields = Fields(decision="approve", bad_format=True, missing_spec=["voltage"])

    def claim() -> None:
        claims.append(claim_next(next(free)))

    def review() -> None:
        claim = claims.popleft()
        submit(claim.run_id, fields, reviewer=claim.reviewer)

    def insert(_number: int = 0) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO bare (body) VALUES (%s)", ['{"number": 1}'])

    bare: dict[str, Any] = {"baseline": "insert and commit", "runs": size, "times": alone}
    compare("claim", claim, insert, **bare)
    compare("submit", review, insert, **bare)
    inserted = per_second(insert, each)
    turns: dict[int, list[Any]] = {
        number: people[number * each : (number + 1) * each] for number in range(AT_ONCE)
    }
    claimed = per_second(lambda number: claim_next(turns[number].pop()), each)
    held = Claim.objects.filter(reviewer__in=people[: AT_ONCE * each]).select_related("reviewer")
    mine = {number: list(held[number * each : (number + 1) * each]) for number in range(AT_ONCE)}

    def submit_one(number: int) -> None:
        claim = mine[number].pop()
        submit(claim.run_id, fields, reviewer=claim.reviewer)

    submitted = per_second(submit_one, each)
    report(
        "claim, 8 connections", runs=size, times=AT_ONCE * each, per_second=claimed, baseline_per_second=inserted
    )
    report(
        "submit, 8 connections",
        runs=size,
        times=AT_ONCE * each,
        per_second=submitted,
        baseline_per_second=inserted,
    )
    imports(size)


def imports(size: int) -> None:
    """POST /runs/batch through the whole stack but the socket, and COPY of the same bodies."""
    from django.db import connection

    from tests.benchmarks.measuring import milliseconds, report
    from tests.callers import Caller

    caller = Caller()
    runs = [
        {"flow": "item", "subcategory": "part-3", "source": {"title": f"Thing {n}", "text": "18 V, 54 Nm. " * 20}}
        for n in range(ROWS)
    ]
    body = json.dumps({"name": "bench", "runs": runs})

    def batch() -> None:
        response = caller("POST", "/runs/batch", body)
        assert response.status_code == 202, response.content

    def copy() -> None:
        with connection.cursor() as cursor, cursor.copy("COPY bare (body) FROM STDIN") as rows:
            for run in runs:
                rows.write_row([json.dumps(run)])

    taken, bare = [], []
    for _round in range(5):
        taken.append(milliseconds(batch))
        bare.append(milliseconds(copy))
    rows, copied = (round(ROWS / sorted(times)[2] * 1000) for times in (taken, bare))
    report(
        "batch import of 1,000", runs=size, rows_per_second=rows, baseline="COPY", baseline_rows_per_second=copied
    )


if __name__ == "__main__":
    application.start()
    main(int(sys.argv[1]), int(sys.argv[2]))
