"""Append-only tables: the database refuses UPDATE, DELETE and TRUNCATE on them to every role."""

from collections.abc import Iterable

from django.db import connection, migrations

FUNCTION = """
CREATE OR REPLACE FUNCTION foldback_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""
TRIGGERS = """
CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
  FOR EACH ROW EXECUTE FUNCTION foldback_append_only();
CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION foldback_append_only();
"""
TABLES = (
    "generation_draft",
    "generation_judgement",
    "generation_promptmove",
    "generation_promptversion",
    "learning_proposaldecision",
    "review_claimevent",
    "learning_controlchange",
    "learning_guidancemove",
    "learning_guidanceversion",
    "learning_policychoice",
    "learning_thresholdset",
    "review_placement",
    "review_reviewevent",
)


def protect(*tables: str) -> migrations.RunSQL:
    """The migration operation that makes these tables append-only."""
    return migrations.RunSQL(
        FUNCTION + "".join(TRIGGERS.format(table=table) for table in tables),
        "".join(
            f"DROP TRIGGER {table}_no_change ON {table}; DROP TRIGGER {table}_no_truncate ON {table};"
            for table in tables
        ),
    )


def unprotected(tables: Iterable[str] = TABLES) -> list[str]:
    """Those of the tables whose two triggers are missing or switched off; readiness fails on any."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE t.tgname IN (c.relname || '_no_change', c.relname || '_no_truncate')"
            " AND t.tgenabled IN ('O', 'A') AND c.relnamespace = current_schema()::regnamespace"
            " GROUP BY c.relname HAVING count(*) = 2"
        )
        guarded = {row[0] for row in cursor.fetchall()}
    return sorted(set(tables) - guarded)
