"""What an export takes in memory does not grow with what is exported, in any format.

EXPORTED_RUNS=20000 python -m pytest tests/review/exports/test_memory.py: the long form, by hand.
"""

import gc
import os
import tracemalloc

import pytest
from django.contrib.auth.models import User
from django.db import connection

from generation.ids import uuid7
from generation.models import Call, Draft, Judgement, Run, Status
from review.exports import chunks
from review.exports.chunks import MOST, Pace
from review.exports.formats import parquet
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.models import ReviewEvent
from tests.factories import SubcategoryFactory, UserFactory
from tests.review.exports.lessons import RECORD

FEW, MANY = 100, int(os.environ.get("EXPORTED_RUNS", "1000"))  # in portions of 20: what is kept of each would show
MIB = 1024 * 1024


def history(count: int, reviewer: User) -> None:
    """Approved runs with all that an export reads, written at once and without the triggers that count them."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
    where = SubcategoryFactory()
    ids = [uuid7() for _ in range(count)]
    text = {"title": "Drill", "text": "18 V, 54 Nm. " * 60}
    Run.objects.bulk_create(
        Run(id=pk, flow="item", subcategory=where, title="Drill", source=text, status=Status.APPROVED, revision=1)
        for pk in ids
    )
    drafts = Draft.objects.bulk_create(
        Draft(run_id=pk, revision=1, content=RECORD, made_by="extraction") for pk in ids
    )
    Call.objects.bulk_create(
        Call(run_id=pk, stage="extraction", provider="demo", system="s" * 300, user="u" * 900, answer="{}")
        for pk in ids
    )
    Judgement.objects.bulk_create(
        Judgement(run_id=draft.run_id, draft=draft, round=1, cycle=1, kind="supervisor", outcome="passed")
        for draft in drafts
    )
    ReviewEvent.objects.bulk_create(
        ReviewEvent(run_id=pk, sequence=1, reviewer=reviewer, decision="approve", notes="Fine.") for pk in ids
    )
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = origin")


def peak(wanted: Wanted) -> tuple[int, int, int]:
    """Rows, bytes at the peak, and how long Parquet's footer is, which names every row group (2 KiB of 8 MiB)."""
    gc.collect()  # what earlier tests left is not ours
    tracemalloc.start()
    rows, end = 0, b""
    for portion in portions(wanted):
        rows, end = rows + portion.rows, portion.data[-8:] or end
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    if wanted.format != "parquet":
        return rows, found, 0
    assert end[4:] == parquet.MAGIC
    return rows, found, int.from_bytes(end[:4], "little")


@pytest.mark.django_db
def test_memory_is_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_BYTES", MIB // 16)
    monkeypatch.setattr(chunks, "MOST", 20)
    wanted = [
        Wanted("reviews", "jsonl"), Wanted("training", "csv", "chat"), Wanted("training", "parquet"),
        Wanted("judgements", "parquet"),
    ]  # fmt: skip
    reviewer = UserFactory()
    history(FEW, reviewer)
    for one in wanted:
        peak(one)  # imports and caches
    few = [peak(one) for one in wanted]
    history(MANY - FEW, reviewer)
    many = [peak(one) for one in wanted]
    assert [rows for rows, *_ in few] == [FEW] * 4 and [rows for rows, *_ in many] == [MANY] * 4
    for one, (_, small, _), (_, large, footer) in zip(wanted, few, many, strict=True):
        at_its_end = 3 * footer  # kept group by group, put together, and joined to the last group
        assert large < 1.5 * small + MIB / 4 + at_its_end, (one, small / MIB, large / MIB, footer / MIB)
        assert large < MIB + at_its_end


def test_a_portion_of_large_rows_has_fewer() -> None:
    pace, sizes = Pace(bytes=1_000), []
    for each in (1, 1, 10, 10, 500, 500, 5_000, 5_000, 1, 1, 1):
        sizes.append(pace.next())
        pace.told(sizes[-1] * each)
    assert sizes == [50, 100, MOST, 100, 100, 2, 2, 1, 1, 2, 4]
