"""What a window is read by: merged names of fields and thresholds, each with what tells later which they were."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection

from learning.names import Synonyms, merged
from learning.policies import WINDOW

# Merged names, the newest change of them, the policy that was chosen last, and of each place the newest set of
# thresholds: the category's, then the subcategory's own. Each row: what, whose, its id or mark, name, value.
RULES = """
SELECT 'synonym', NULL::bigint, NULL::bigint, name, canonical FROM learning_fieldsynonym WHERE flow = %(flow)s
UNION ALL
SELECT 'mark', NULL, max(id), '', '' FROM learning_controlchange WHERE flow = %(flow)s AND kind = 'synonym'
UNION ALL
(SELECT 'policy', NULL, id, policy, '' FROM learning_policychoice ORDER BY id DESC LIMIT 1)
UNION ALL
SELECT 'set', place.id, newest.id, newest.level, newest.of_ten::text
FROM generation_subcategory AS place CROSS JOIN LATERAL (
  (SELECT id, 'category' AS level, of_ten FROM learning_thresholdset
   WHERE category_id = place.category_id AND flow = %(flow)s ORDER BY id DESC LIMIT 1)
  UNION ALL
  (SELECT id, 'subcategory', of_ten FROM learning_thresholdset
   WHERE subcategory_id = place.id AND flow = %(flow)s ORDER BY id DESC LIMIT 1)
) AS newest WHERE place.id = ANY (%(subcategories)s)
"""
_AT_MARK = """
SELECT DISTINCT ON (name) name, value FROM learning_controlchange
WHERE flow = %(flow)s AND kind = 'synonym' AND id <= %(mark)s ORDER BY name, id DESC
"""
Row = tuple[str, int | None, int | None, str, str]


@dataclass(frozen=True)
class Own:
    """What a subcategory has over the shipped thresholds. sets: the rows that say so, the category's first."""

    of_ten: Mapping[str, int] = field(default_factory=dict)
    sets: tuple[int, ...] = ()


@dataclass(frozen=True)
class Rules:
    """mark: the newest change of merged names. thresholds: by subcategory; none for one without own. policy: the
    one that an admin chose last, else the setting's."""

    synonyms: Synonyms = field(default_factory=dict)
    mark: int = 0
    thresholds: Mapping[int, Own] = field(default_factory=dict)
    policy: str = WINDOW

    def of(self, subcategory_id: int) -> Own:
        return self.thresholds.get(subcategory_id, Own())


def rules(flow: str, subcategory_ids: Iterable[int]) -> Rules:
    """What is in force now for these subcategories. One query."""
    with connection.cursor() as cursor:
        cursor.execute(RULES, {"flow": flow, "subcategories": list(subcategory_ids)})
        return read_rules(flow, cursor.fetchall())


def read_rules(flow: str, rows: Collection[Row]) -> Rules:
    """The rows of RULES; others among them are passed over."""
    levels: dict[int, dict[str, tuple[int, dict[str, int]]]] = {}
    for what, place, key, level, value in rows:
        if what == "set" and place is not None and key is not None:
            levels.setdefault(place, {})[level] = key, json.loads(value)
    return Rules(
        synonyms=merged(flow, {name: value for what, _, _, name, value in rows if what == "synonym"}),
        mark=next((mark or 0 for what, _, mark, _, _ in rows if what == "mark"), 0),
        thresholds={
            place: nearest(found.get("category"), found.get("subcategory")) for place, found in levels.items()
        },
        policy=next((name for what, _, _, name, _ in rows if what == "policy"), settings.FOLDBACK_POLICY),
    )


def nearest(*sets: tuple[int, Mapping[str, int]] | None) -> Own:
    """Sets of thresholds (id, of ten by trigger) put together: of each trigger the last one speaks."""
    there = [found for found in sets if found is not None]
    of_ten: dict[str, int] = {}
    for _key, own in there:
        of_ten |= own
    return Own(of_ten, tuple(key for key, _own in there))


def synonyms_at(flow: str, mark: int) -> Synonyms:
    """The merged names as they were when `mark` was their newest change."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_MARK, {"flow": flow, "mark": mark})
        found: list[tuple[str, Any]] = cursor.fetchall()
    return merged(flow, {name: value for name, value in found if value is not None})
