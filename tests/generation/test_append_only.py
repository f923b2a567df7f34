"""The database refuses to change or empty what must be kept, raw SQL included."""

import pytest
from django.db import DatabaseError, connection, transaction

from generation.append_only import TABLES, unprotected
from generation.models import Prompt, PromptVersion

pytestmark = pytest.mark.django_db


def execute(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize(
    "sql", ["UPDATE generation_promptversion SET note = 'x'", "DELETE FROM generation_promptversion"]
)
def test_changing_a_row_is_refused(sql: str) -> None:
    prompt = Prompt.objects.create(flow="test", stage="test")
    PromptVersion.objects.create(prompt=prompt, number=1, user="x")
    with pytest.raises(DatabaseError, match="append-only"):
        execute(sql)


@pytest.mark.parametrize("table", TABLES)
def test_truncate_is_refused(table: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"):
        execute(f"TRUNCATE {table} CASCADE")


def test_missing_trigger_is_told() -> None:
    assert unprotected() == []
    execute("ALTER TABLE review_reviewevent DISABLE TRIGGER review_reviewevent_no_change")
    assert unprotected() == ["review_reviewevent"]
