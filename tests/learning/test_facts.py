"""What makes a run due to be counted anew."""

import pytest
from django.db import connection

from generation.models import Run
from learning import facts
from learning.models import Due
from tests.factories import RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    found: Run = RunFactory(subcategory=SubcategoryFactory())
    facts.fold()
    return found


def due() -> list[object]:
    return list(Due.objects.values_list("run_id", flat=True))


def test_a_corrected_subcategory(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(subcategory=SubcategoryFactory())
    assert due() == [run.pk]


def test_reviews_that_wait_for_others_no_more(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(reviews_from=1)
    assert due() == [run.pk]
    facts.fold()
    Run.objects.filter(pk=run.pk).update(reviews_from=None)
    assert due() == [run.pk]


def test_a_run_that_is_gone(run: Run) -> None:
    pk = run.pk
    run.delete()
    assert due() == [pk]


def test_what_changes_nothing_that_is_counted(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(title="other", metadata={"a": 1})
    assert due() == []


def test_sums_of_a_part_are_never_told_as_exact(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    RunFactory()
    assert facts.as_of() is not None
    facts.rebuild()
    assert facts.as_of() is None
    monkeypatch.setattr(facts, "AT_ONCE", 1)
    assert facts._fold_some() == 1 and facts.as_of() is None
    assert facts.fold() == 1 and facts.as_of() is not None


def test_every_topic_has_its_function_and_its_tables() -> None:
    with connection.cursor() as cursor:
        for topic, tables in facts.TOPICS.items():
            cursor.execute("SELECT to_regprocedure(%s)::text", [f"foldback_{topic}_count(uuid[])"])
            assert cursor.fetchone()[0], topic
            assert set(tables) <= set(connection.introspection.table_names())
