"""A whole review to submit, and a history that refuses it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models.functions import Now

from generation.models import Run
from review.models import ReviewForm
from review.recording import Fields

FULL = Fields(
    decision="approve",
    information_present=True,
    missing_spec=["charging time", "Weight"],
    bad_format=False,
    wrong_information=None,
    wrong_physical_dimensions=True,
    notes="  Steel capacity is 13 mm, line 7.\n",
)


# The form as a browser sends it.
FILLED = {
    "information_present": "no",
    "bad_format": "yes",
    "wrong_information": "",
    "wrong_physical_dimensions": "yes",
    "missing_spec": ["Charging time", " charging  time ", "noise"],
    "missing_spec_more": "vibration, grip",
    "notes": "Line 7.\r\n13 mm.",
    "decision": "approve",
    "revision": "2",
}


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


@contextmanager
def broken_history() -> Iterator[None]:
    """The history's table refuses every new row, as a full disk or a lost right would."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no space left'; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER broken BEFORE INSERT ON review_reviewevent EXECUTE FUNCTION pg_temp.refuse()"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER broken ON review_reviewevent")


def settle() -> None:
    """As if every submission were a minute old."""
    ReviewForm.objects.update(submitted_at=Now() - timedelta(minutes=1))


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(n)` answered or raised in that many threads at the same moment."""
    answers: list[Any] = []
    ready = threading.Barrier(count)

    def one(n: int) -> None:
        try:
            ready.wait(120)
            answers.append(work(n))
        except Exception as error:
            answers.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=[n]) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return answers
