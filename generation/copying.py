"""Many new rows at once, by PostgreSQL's COPY."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, models


def copy_in(model: type[models.Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, each a value by column and all with the same columns; a tenth of what `bulk_create` takes.

    A column that is not named holds its field's default; null and the database's own defaults are left to the
    database. No signal is sent, and nothing is checked that the database does not check.
    """
    if not rows:
        return
    fields = model._meta.concrete_fields
    is_json = {field.column for field in fields if isinstance(field, models.JSONField)}
    given = [(name, name in is_json) for name in rows[0]]
    others = [field for field in fields if field.column not in rows[0] and not _left_out(field)]
    constant = [_default(field) for field in others]
    columns = ", ".join(map(connection.ops.quote_name, [*rows[0], *(str(field.column) for field in others)]))
    statement = f"COPY {connection.ops.quote_name(model._meta.db_table)} ({columns}) FROM STDIN"
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([*(_json(row[name]) if as_json else row[name] for name, as_json in given), *constant])


def _left_out(field: "models.Field[Any, Any]") -> bool:
    return field.null or field.generated or field.has_db_default() or isinstance(field, models.AutoField)


def _default(field: "models.Field[Any, Any]") -> Any:
    value = field.get_default()
    if isinstance(field, models.JSONField):
        return _json(value)
    return value.value if isinstance(value, models.Choices) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
