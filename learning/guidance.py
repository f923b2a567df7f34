"""Guidance texts: rows over the shipped defaults of the influence map, their versions, and what is live."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation.errors import BadInput, Conflict
from generation.flows import FLOWS
from learning.influence import Line, table
from learning.models import Guidance, GuidanceMove, GuidanceVersion

Texts = Mapping[str, tuple[str, bool]]  # key → (text, enabled)
LONGEST = 2000  # characters


def shipped(flow: str) -> dict[str, tuple[str, bool]]:
    return {line.key: (line.text, True) for line in table(flow)}


def shipped_text(flow: str, key: str) -> str:
    """The shipped wording of a key; empty where no line of the map has it any more."""
    return shipped(flow).get(key, ("", False))[0]


def line_of(row: Guidance) -> Line | None:
    """The row's line of the map; None where it left it."""
    return next((line for line in table(row.flow) if line.key == row.key), None)


def over_shipped(flow: str, rows: Iterable[tuple[str, str, bool]]) -> Texts:
    return shipped(flow) | {key: (text, enabled) for key, text, enabled in rows}


def texts(flow: str) -> Texts:
    """What each line of the map says now. One query."""
    return over_shipped(flow, Guidance.objects.filter(flow=flow).values_list("key", "text", "enabled"))


def seed() -> int:
    """A row with a first version for every line of the map that has none yet; what an admin wrote stays. How many
    rows came new."""
    rows = [Guidance(flow=flow, key=line.key, text=line.text) for flow in FLOWS for line in table(flow)]
    before = Guidance.objects.count()
    Guidance.objects.bulk_create(rows, ignore_conflicts=True)
    with transaction.atomic():
        for row in Guidance.objects.select_for_update().filter(live__isnull=True):
            _first(row)
    return Guidance.objects.count() - before


def save_version(row: Guidance, text: str, *, author: User | None, note: str = "") -> GuidanceVersion:
    """The next version, not yet live. BadInput where the text is none, or is too long."""
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > LONGEST:
        raise BadInput.at("/text", _("From 1 to %d characters.") % LONGEST)
    with transaction.atomic():
        locked = _locked(row)
        newest = locked.versions.values_list("number", flat=True).first() or 0
        return locked.versions.create(number=newest + 1, text=text, author=author, note=note)


def make_live(version: GuidanceVersion, *, by: User | None, why: str) -> GuidanceMove:
    """What the line says from the next call on, forward or back; Conflict where it says that already."""
    with transaction.atomic():
        row = _locked(version.guidance)
        if row.live_id == version.pk:
            raise Conflict(_("Version %d is live already.") % version.number)
        return _move(row, version, row.enabled, by=by, why=why)


def turn(row: Guidance, *, enabled: bool, by: User | None, why: str) -> GuidanceMove:
    """Let the line speak, or be silent; Conflict where it is so already."""
    with transaction.atomic():
        locked = _locked(row)
        if locked.enabled == enabled:
            raise Conflict(_("It is switched on already.") if enabled else _("It is switched off already."))
        assert locked.live is not None
        return _move(locked, locked.live, enabled, by=by, why=why)


def restore(row: Guidance, *, by: User | None) -> GuidanceMove:
    """The shipped words live again: the version that says them, or a new one. It switches nothing on.

    Conflict where they are live, or where the line left the map."""
    text = shipped_text(row.flow, row.key)
    if not text:
        raise Conflict(_("This line is shipped no more."))
    with transaction.atomic():
        locked = _locked(row)
        why = _("the shipped text")
        version = locked.versions.filter(text=text).first() or save_version(locked, text, author=by, note=why)
        return make_live(version, by=by, why=why)


def _locked(row: Guidance) -> Guidance:
    """The row, locked, with a first version. Nothing is joined: who had to wait would see what was before."""
    locked = Guidance.objects.select_for_update().get(pk=row.pk)
    if locked.live_id is None:
        _first(locked)
    return locked


def _first(row: Guidance) -> None:
    """What the row says becomes its version 1."""
    as_shipped = row.text == shipped_text(row.flow, row.key)
    note = "as shipped" if as_shipped else ""
    version = row.versions.filter(number=1).first() or row.versions.create(
        number=1, text=row.text, author_id=row.changed_by_id, note=note
    )
    GuidanceMove.objects.create(
        guidance=row, to_version=version, enabled=row.enabled, by_id=row.changed_by_id, why=note
    )
    row.live = version
    row.save(update_fields=["live"])


def _move(row: Guidance, version: GuidanceVersion, enabled: bool, *, by: User | None, why: str) -> GuidanceMove:
    move = GuidanceMove.objects.create(
        guidance=row, from_version=row.live, to_version=version, enabled=enabled, by=by, why=why
    )
    fields: dict[str, Any] = {"live": version, "text": version.text, "enabled": enabled}
    Guidance.objects.filter(pk=row.pk).update(**fields, changed_by=by, changed_at=Now())
    return move
