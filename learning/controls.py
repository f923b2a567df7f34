"""What admins set in learning, read in one query: guidance texts, merged names, thresholds, off switches."""

from dataclasses import dataclass

from django.db import connection

from learning.guidance import Texts, over_shipped
from learning.rules import RULES, Rules, read_rules

_ROWS = f"""
{RULES}
UNION ALL
SELECT CASE WHEN enabled THEN 'guidance' ELSE 'silent' END, NULL, NULL, key, text FROM learning_guidance
WHERE flow = %(flow)s
UNION ALL
SELECT 'switch', NULL, NULL, '', '' FROM learning_switch
WHERE subcategory_id IS NULL OR subcategory_id = ANY (%(subcategories)s)
"""  # noqa: S608 - joined of constants, values are bound


@dataclass(frozen=True)
class Controls:
    texts: Texts
    rules: Rules
    off: bool


def controls(flow: str, subcategory_id: int | None) -> Controls:
    """The settings that one prompt needs. One query, since every prompt asks."""
    with connection.cursor() as cursor:
        of = [] if subcategory_id is None else [subcategory_id]
        cursor.execute(_ROWS, {"flow": flow, "subcategories": of})
        rows = cursor.fetchall()
    texts = [(key, text, kind == "guidance") for kind, _, _, key, text in rows if kind in ("guidance", "silent")]
    return Controls(
        texts=over_shipped(flow, texts),
        rules=read_rules(flow, rows),
        off=any(kind == "switch" for kind, *_ in rows),
    )
