"""Exports that the worker writes: a file under `FOLDBACK_EXPORTS_DIR`, its progress in the database.

The row is the truth. A worker holds it by a lease that it renews as it writes; where it dies, another begins the
file anew. The file gets its name only when all of it is on the disk.
"""

import errno
import os
import uuid
from collections import Counter
from datetime import timedelta
from pathlib import Path
from time import monotonic

import structlog
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import Conflict
from review.exports.stream import portions, total
from review.exports.wanted import Wanted
from review.models import Export

log = structlog.get_logger(__name__)
State = Export.State
AT_ONCE = 2  # of the whole installation: the other threads of the workers go on generating
MOST_OPEN = 50
MOST_ATTEMPTS = 3
LEASE = timedelta(seconds=120)
TELL_SECONDS = 1.0  # how often progress is written, and the lease renewed
_LOCK = 0x0F01DBAC  # of PostgreSQL's advisory ones: who counts the running ones counts alone


class Lost(Exception):
    """The lease is another's now, or the export was deleted."""


def start(wanted: Wanted, *, by: User | None = None, api_key: str = "") -> Export:
    """Queue an export. BadInput as `Wanted.check`; Conflict where too many wait."""
    wanted.check()
    if Export.objects.filter(state__in=[State.QUEUED, State.RUNNING]).count() >= MOST_OPEN:
        raise Conflict(_("%d exports wait already; try again when some are done.") % MOST_OPEN)
    made = Export.objects.create(wanted=wanted.as_json(), by=by, api_key=api_key)
    made.refresh_from_db()
    transaction.on_commit(_kick, robust=True)
    log.info("export_queued", export=str(made.pk), kind=wanted.kind, format=wanted.format)
    return made


def _kick() -> None:
    current_app.send_task("review.tasks.write_exports")


def write_all() -> int:
    """Write what waits, one after the other, until nothing does or enough others write; how many."""
    count = 0
    while (export := _take()) is not None:
        _write(export)
        count += 1
    return count


def _take() -> Export | None:
    """The oldest that waits or whose worker died, leased; None where none does, or AT_ONCE are being written."""
    alive = Q(state=State.RUNNING, lease_expires_at__gt=Now())
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        if Export.objects.filter(alive).count() >= AT_ONCE:
            return None
        waiting = Export.objects.filter(state__in=[State.QUEUED, State.RUNNING]).exclude(alive)
        found = waiting.order_by("id").first()
        if found is None:
            return None
        Export.objects.filter(pk=found.pk).update(
            state=State.RUNNING, lease=uuid.uuid4(), lease_expires_at=Now() + LEASE, started_at=Now(),
            attempts=F("attempts") + 1, looked_at=0, rows=0, bytes=0, left_out={},
        )  # fmt: skip
        found.refresh_from_db()
    return found


def _write(export: Export) -> None:
    """One export to its end, whatever that is: a failure is told in its row, and never stops the next one."""
    try:
        if export.attempts > MOST_ATTEMPTS:
            _fail(export, "gave_up")
            return
        _to_file(export)
        log.info("export_written", export=str(export.pk), rows=export.rows, bytes=export.bytes)
    except Lost:
        log.warning("export_lost", export=str(export.pk))
    except (OperationalError, InterfaceError) as error:  # the lease ends, and whoever comes then begins anew
        log.warning("export_interrupted", export=str(export.pk), error=type(error).__name__)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        _fail(export, "no_space" if full else "not_writable")
    except Exception as error:  # the task's boundary: the next attempt may do better, and the third says so
        log.error("export_failed", export=str(export.pk), error=type(error).__name__, exc_info=error)
        _fail(export, "internal_error")


def _to_file(export: Export) -> None:
    folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    begun = path(export).with_suffix(f".{export.lease}.part")
    wanted = Wanted.from_json(export.wanted)
    export.total = total(wanted)
    try:
        with open(begun, "xb", opener=_private) as file:
            told = monotonic()
            left_out = Counter[str]()
            for portion in portions(wanted):
                file.write(portion.data)
                export.rows += portion.rows
                export.looked_at += portion.looked_at
                left_out += portion.left_out
                export.bytes, export.left_out = file.tell(), dict(left_out)
                if monotonic() - told >= TELL_SECONDS:
                    _tell(export)
                    told = monotonic()
            file.flush()
            os.fsync(file.fileno())
        _tell(export)
        begun.replace(path(export))
        _tell(export, state=State.DONE, finished_at=Now(), lease=None, lease_expires_at=None)
    finally:
        begun.unlink(missing_ok=True)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _tell(export: Export, **more: object) -> None:
    """Progress, and that its worker lives. Raises Lost."""
    told = {name: getattr(export, name) for name in ("total", "looked_at", "rows", "bytes", "left_out")}
    mine = Export.objects.filter(pk=export.pk, lease=export.lease)
    if not mine.update(**{"lease_expires_at": Now() + LEASE} | told | more):
        raise Lost


def _fail(export: Export, code: str) -> None:
    log.error("export_not_written", export=str(export.pk), code=code)
    mine = Export.objects.filter(pk=export.pk, lease=export.lease)
    mine.update(state=State.FAILED, error=code, finished_at=Now(), lease=None, lease_expires_at=None)


def delete(export_id: uuid.UUID) -> None:
    """The export and its file; a worker that is writing it stops."""
    for export in Export.objects.filter(pk=export_id):
        file = path(export)
        export.delete()
        file.unlink(missing_ok=True)


def forget(days: int) -> int:
    """Delete what ended so many days ago, by database time, and files that belong to nothing; how many rows."""
    old = Export.objects.filter(finished_at__lt=Now() - timedelta(days=days)).order_by("id")
    gone = list(old.values_list("pk", flat=True))
    for export_id in gone:
        delete(export_id)
    _sweep_files()
    return len(gone)


def _sweep_files() -> None:
    """Files whose row is gone, and parts whose worker died."""
    if not folder().is_dir():
        return
    files = list(folder().iterdir())  # first: a file that is seen here has its row by now
    rows = {str(pk): lease for pk, lease in Export.objects.values_list("pk", "lease")}
    for file in files:
        name, _dot, rest = file.name.partition(".")
        if name not in rows or (rest.endswith(".part") and rest != f"{rows[name]}.part"):
            file.unlink(missing_ok=True)


def folder() -> Path:
    return Path(settings.FOLDBACK_EXPORTS_DIR)


def path(export: Export) -> Path:
    return folder() / f"{export.pk}.{export.wanted['format']}"
