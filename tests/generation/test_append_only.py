"""The database refuses to change or empty what must be kept, raw SQL included."""

import pytest
from django.db import DatabaseError, connection, transaction

from generation.append_only import TABLES, unprotected
from generation.prompts import live

pytestmark = pytest.mark.django_db


def execute(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize("role", ["postgres", "app", "reader"])  # superuser, owner of the rows, any other
@pytest.mark.parametrize(
    "sql",
    ["UPDATE {table} SET id = id", "DELETE FROM {table}", "TRUNCATE {table} CASCADE"],
    ids=lambda sql: sql[:8],
)
@pytest.mark.parametrize("table", ["generation_promptversion", "generation_promptmove"])
def test_no_role_changes_versions_and_moves(table: str, sql: str, role: str) -> None:
    prompt = live("item", "extraction").prompt
    execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would do
    if role != "postgres":
        execute(f"CREATE ROLE {role} NOSUPERUSER; GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
    if role == "app":
        execute(f"GRANT ALL ON SCHEMA public TO app; ALTER TABLE {table} OWNER TO app")
    before = list(prompt.versions.values()), list(prompt.moves.values())
    execute(f"SET LOCAL ROLE {role}")
    with pytest.raises(DatabaseError, match="append-only"):
        execute(sql.format(table=table))
    if role != "postgres":
        with pytest.raises(DatabaseError, match="permission denied"):
            execute("SET session_replication_role = replica")
    execute("RESET ROLE")
    assert (list(prompt.versions.values()), list(prompt.moves.values())) == before != ([], [])


@pytest.mark.parametrize("table", TABLES)
def test_truncate_is_refused(table: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"):
        execute(f"TRUNCATE {table} CASCADE")


def test_missing_trigger_is_told() -> None:
    assert unprotected() == []
    execute("ALTER TABLE review_reviewevent DISABLE TRIGGER review_reviewevent_no_change")
    assert unprotected() == ["review_reviewevent"]
