"""What admins set in learning, read in one query: guidance texts, merged names of fields, off switches."""

from dataclasses import dataclass
from typing import cast

from django.db.models import BooleanField, CharField, F, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from learning.guidance import Texts, over_shipped
from learning.models import FieldSynonym, Guidance, Switch
from learning.names import Synonyms, merged
from learning.switches import speaks_of


@dataclass(frozen=True)
class Controls:
    texts: Texts
    synonyms: Synonyms
    off: bool


def controls(flow: str, subcategory_id: int | None) -> Controls:
    """The settings that one prompt needs. One query, since every prompt asks."""
    guidance = Guidance.objects.filter(flow=flow).values_list(*_row("guidance", "key", "text", F("enabled")))
    names = FieldSynonym.objects.filter(flow=flow).values_list(*_row("synonym", "name", "canonical", Value(True)))
    switches = Switch.objects.filter(speaks_of(subcategory_id)).values_list(
        *_row("switch", "why", "why", Value(True))
    )
    rows = cast(
        "list[tuple[str, str, str, bool]]",
        list(guidance.order_by().union(names.order_by(), switches.order_by(), all=True)),
    )
    return Controls(
        texts=over_shipped(flow, [(key, text, on) for kind, key, text, on in rows if kind == "guidance"]),
        synonyms=merged(flow, {name: canonical for kind, name, canonical, _ in rows if kind == "synonym"}),
        off=any(kind == "switch" for kind, *_ in rows),
    )


def _row(kind: str, name: str, text: str, on: Combinable) -> tuple[Combinable, ...]:
    return (
        Value(kind, CharField()),
        Cast(name, TextField()),
        Cast(text, TextField()),
        Cast(on, BooleanField()),
    )
