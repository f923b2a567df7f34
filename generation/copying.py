"""Many new rows at once, by PostgreSQL's COPY."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, models

NOTHING: Mapping[str, Any] = {}
_json = json.JSONEncoder(ensure_ascii=False).encode


def copy_in(
    model: type[models.Model], rows: Sequence[Mapping[str, Any]], shared: Mapping[str, Any] = NOTHING
) -> None:
    """Insert rows, each a value by column and all with the same columns; a tenth of what `bulk_create` takes.

    shared: further values by column, the same in all rows. A column that is not named holds its field's default;
    null and the database's own defaults are left to the database. No signal is sent, and nothing is checked that
    the database does not check.
    """
    if not rows:
        return
    fields = model._meta.concrete_fields
    as_json = {field.column for field in fields if isinstance(field, models.JSONField)}
    defaults = {str(field.column): _default(field) for field in fields if not _left_out(field)}
    alike = {name: value for name, value in (defaults | dict(shared)).items() if name not in rows[0]}
    constant = [_json(value) if name in as_json else value for name, value in alike.items()]
    given = [(name, name in as_json) for name in rows[0]]
    columns = ", ".join(map(connection.ops.quote_name, [*rows[0], *alike]))
    statement = f"COPY {connection.ops.quote_name(model._meta.db_table)} ({columns}) FROM STDIN"
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([_json(row[name]) if is_json else row[name] for name, is_json in given] + constant)


def _left_out(field: "models.Field[Any, Any]") -> bool:
    return field.null or field.generated or field.has_db_default() or isinstance(field, models.AutoField)


def _default(field: "models.Field[Any, Any]") -> Any:
    value = field.get_default()
    return value.value if isinstance(value, models.Choices) else value
