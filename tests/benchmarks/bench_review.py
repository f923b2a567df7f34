"""Claiming the next run and submitting a review, among ten thousand runs that wait."""

import os
from typing import Any

import django

RUNS = 10_000
REVIEWERS = 320


def seed() -> tuple[list[Any], list[Any]]:
    from django.contrib.auth.models import User
    from django.db import connection

    from generation.models import Draft, Run, Status
    from tests.factories import SubcategoryFactory

    subcategories = [SubcategoryFactory.create() for _ in range(50)]
    runs = Run.objects.bulk_create(
        Run(
            flow="item",
            subcategory=subcategories[number % 50],
            title=f"Thing {number}",
            source={"title": f"Thing {number}", "text": "a text of some length " * 20},
            status=Status.AWAITING_REVIEW,
            revision=1,
        )
        for number in range(RUNS)
    )
    Draft.objects.bulk_create(
        Draft(run=run, revision=1, content={"name": run.title}, made_by="extraction") for run in runs
    )
    reviewers = User.objects.bulk_create(
        User(username=f"reviewer{n}", is_superuser=True) for n in range(REVIEWERS)
    )
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bare (id bigserial PRIMARY KEY, text text)")
        cursor.execute("ANALYZE")
    return runs, reviewers


def main() -> None:
    from django.core.management import call_command
    from django.db import connection

    from review.queue import claim_next
    from review.recording import Fields, submit
    from tests.benchmarks.measuring import milliseconds, report

    call_command("migrate", verbosity=0)
    call_command("bootstrap")
    runs, reviewers = seed()

    def select(run: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT title FROM generation_run WHERE id = %s", [run.pk])
            cursor.fetchone()

    def insert(run: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO bare (text) VALUES (%s)", [run.title])

    def review(pair: Any) -> None:
        claim, reviewer = pair
        submit(
            claim.run_id, Fields(decision="approve", bad_format=True, missing_spec=["voltage"]), reviewer=reviewer
        )

    bare_select = milliseconds(select, runs[:REVIEWERS])
    bare_insert = milliseconds(insert, runs[:REVIEWERS])
    claims: list[Any] = []
    claimed = milliseconds(lambda reviewer: claims.append(claim_next(reviewer)), reviewers)
    submitted = milliseconds(review, zip(claims, reviewers, strict=True))
    report("claim_next", claimed, baseline="select by key", bare=bare_select, runs=RUNS)
    report("claim_next", claimed, baseline="insert and commit", bare=bare_insert, runs=RUNS)
    report("submit", submitted, baseline="insert and commit", bare=bare_insert, runs=RUNS)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
