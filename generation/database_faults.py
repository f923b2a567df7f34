"""What a database that is away, restarts or takes no writes means to those who use it."""

from django.db import InterfaceError, InternalError, OperationalError, connection

RETRY_AFTER_SECONDS = 30
READ_ONLY = "25006"  # SQLSTATE read_only_sql_transaction


def refuses(error: object) -> bool:
    """Whether the database is away, or takes no writes: the same request may succeed later."""
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    return isinstance(error, OperationalError | InterfaceError)


def drop_if_cut() -> None:
    """Have the next query ask whether the connection lives, and make a new one where it does not."""
    if not connection.in_atomic_block:  # a transaction dies with its connection
        connection.close_if_unusable_or_obsolete()
