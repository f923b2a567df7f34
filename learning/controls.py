"""What admins set in learning, read in one query: guidance texts, merged names of fields, off switches."""

from dataclasses import dataclass

from django.db import connection

from learning.guidance import Texts, over_shipped
from learning.names import Synonyms, merged

_ROWS = """
SELECT 'guidance', key, text, enabled FROM learning_guidance WHERE flow = %(flow)s
UNION ALL
SELECT 'synonym', name, canonical, true FROM learning_fieldsynonym WHERE flow = %(flow)s
UNION ALL
SELECT 'switch', '', '', true FROM learning_switch
WHERE subcategory_id IS NULL OR subcategory_id = %(subcategory)s
"""


@dataclass(frozen=True)
class Controls:
    texts: Texts
    synonyms: Synonyms
    off: bool


def controls(flow: str, subcategory_id: int | None) -> Controls:
    """The settings that one prompt needs. One query, since every prompt asks."""
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, {"flow": flow, "subcategory": subcategory_id})
        rows = cursor.fetchall()
    return Controls(
        texts=over_shipped(flow, [(key, text, on) for kind, key, text, on in rows if kind == "guidance"]),
        synonyms=merged(flow, {name: canonical for kind, name, canonical, _ in rows if kind == "synonym"}),
        off=any(kind == "switch" for kind, *_ in rows),
    )
