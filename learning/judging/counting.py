"""What is counted of judge and people (`counting.sql`), and its sums read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.db import connection, migrations

from learning.models import Judging, JudgingScores

SQL = Path(__file__).with_suffix(".sql")
BINS = 101  # weighted means from 0.00 to 1.00
# The places of `Judging.counts`, in the order of the SQL: what the judge said, then the person.
PLACES = (
    "passed_good", "passed_bad", "failed_good", "failed_bad", "passed_unsaid", "failed_unsaid",
    "unavailable_good", "unavailable_bad", "unavailable_unsaid",
)  # fmt: skip
_REMOVE = """
DROP FUNCTION foldback_judging_count(uuid[]), foldback_judging_of(uuid[]);
DROP FUNCTION foldback_judged(text, text, text[], text, jsonb), foldback_number(jsonb), foldback_judging_asks();
"""


@dataclass(frozen=True)
class Ask:
    """A criterion, and the aspect of a review that it is compared with."""

    criterion: str
    aspect: str


@dataclass(frozen=True)
class By:
    """Who judged: a version of the judge's prompt (0: none) and a model."""

    version_id: int
    model: str


Counts = dict[str, int]  # by the names of PLACES


def count(first: Path) -> migrations.RunSQL:
    """The migration operation that brings the functions that count. learning/facts.py calls them."""
    return migrations.RunSQL(first.read_text(), _REMOVE)


def asks(kind: str) -> list[Ask]:
    """What is compared of a judge of this kind, as it is counted, in the order of pages."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT criterion, aspect FROM foldback_judging_asks() WHERE kind IN ('', %s)", [kind])
        return [Ask(*row) for row in cursor.fetchall()]


def sums(flow: str, kind: str) -> dict[By, dict[str, Counts]]:
    """By who judged, then by criterion. One query; as many rows as there were prompts and models."""
    found: dict[By, dict[str, Counts]] = {}
    for one in Judging.objects.filter(flow=flow, kind=kind):
        counts = dict(zip(PLACES, one.counts, strict=True))
        if any(counts.values()):
            found.setdefault(By(one.version_id, one.model), {})[one.criterion] = counts
    return found


def added(counts: Iterable[Counts]) -> Counts:
    """Place by place."""
    total = dict.fromkeys(PLACES, 0)
    for one in counts:
        for place in PLACES:
            total[place] += one[place]
    return total


@dataclass(frozen=True)
class Scores:
    """How many records had each weighted mean, in hundredths: good and bad ones, as people said."""

    good: tuple[int, ...] = (0,) * BINS
    bad: tuple[int, ...] = (0,) * BINS

    def __add__(self, other: "Scores") -> "Scores":
        return Scores(
            tuple(a + b for a, b in zip(self.good, other.good, strict=True)),
            tuple(a + b for a, b in zip(self.bad, other.bad, strict=True)),
        )


def scores(flow: str) -> dict[tuple[int, By], Scores]:
    """By institution (0: none) and who judged. One query."""
    return {
        (one.institution_id, By(one.version_id, one.model)): Scores(
            tuple(one.counts[:BINS]), tuple(one.counts[BINS:])
        )
        for one in JudgingScores.objects.filter(flow=flow)
    }
