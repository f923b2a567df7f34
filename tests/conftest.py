"""Fixtures that every test may use."""

from collections.abc import Iterator

import pytest
from django.db.backends.postgresql.operations import DatabaseOperations


@pytest.fixture(scope="session", autouse=True)
def _flush_may_truncate() -> Iterator[None]:
    """Tests with real transactions flush their tables: the one place that lifts the append-only triggers.

    Only a superuser may set this; the application's own role is none.
    """
    flush = DatabaseOperations.sql_flush

    def lifted(self: DatabaseOperations, *args: object, **kwargs: object) -> list[str]:
        statements = flush(self, *args, **kwargs)  # type: ignore[arg-type]
        return ["SET session_replication_role = replica", *statements, "RESET session_replication_role"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", lifted)
        yield
