"""What a thin subcategory borrows: how often its category's other subcategories raised each mistake, unguided."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connection

from learning.names import Synonyms
from learning.triggers import MISSING_SPEC, THRESHOLDS
from learning.window import COLUMNS, COUNTING, NEWEST, ORDERED, Loan, WindowRun, read_run

LENDERS, LENT = 10, 20  # so many subcategories, the oldest, and of each so many of the newest reviewed runs
# In the place of the subcategories whose windows are read: those of the same categories, one more than lend, since
# the borrower may be among them.
_OTHERS = """(
  SELECT DISTINCT other.id FROM generation_subcategory AS place CROSS JOIN LATERAL (
    SELECT id FROM generation_subcategory WHERE category_id = place.category_id ORDER BY id LIMIT %(lenders)s + 1
  ) AS other WHERE place.id = ANY (%(subcategories)s)
)"""
_EVENTS = f"""
{NEWEST.replace("unnest(%(subcategories)s::bigint[])", _OTHERS)}
SELECT {COLUMNS}, '' AS username, category.name AS lender,
  ARRAY(
    SELECT id FROM generation_subcategory WHERE category_id = category.id AND id = ANY (%(subcategories)s)
  ) AS thin
FROM run JOIN event ON event.run_id = run.id
JOIN generation_subcategory AS place ON place.id = run.subcategory_id
JOIN generation_category AS category ON category.id = place.category_id
{COUNTING}
{ORDERED}
"""  # noqa: S608 - joined of constants, values are bound


def loans(flow: str, subcategory_ids: list[int], known: Synonyms) -> dict[int, Loan]:
    """What each may borrow; nothing where no other subcategory of its category was reviewed. One query."""
    events: dict[UUID, list[Mapping[str, Any]]] = {}
    bound: dict[str, Any] = {"flow": flow, "subcategories": subcategory_ids, "most": LENT, "lenders": LENDERS}
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, bound)
        names = [column.name for column in cursor.description]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            events.setdefault(row["run_id"], []).append(row)
    runs: dict[int, list[WindowRun]] = {}
    lenders: dict[int, tuple[str, list[int]]] = {}  # subcategory → its category's name, and who borrows of it
    for rows in events.values():
        lender = rows[0]["subcategory_id"]
        runs.setdefault(lender, []).append(read_run(rows, known))
        lenders[lender] = rows[0]["lender"], rows[0]["thin"]
    found: dict[int, Loan] = {}
    for borrower in subcategory_ids:
        others = [one for one, (_, thin) in lenders.items() if borrower in thin and one != borrower][:LENDERS]
        if others:
            lent = rates([run for one in others for run in runs[one]])
            found[borrower] = Loan(lenders[others[0]][0], lent)
    return found


def rates(runs: list[WindowRun]) -> dict[str, tuple[int, int]]:
    """Of each trigger and missing field that any raised: how many unguided runs did, of how many."""
    raised: Counter[str] = Counter()
    guided: Counter[str] = Counter()
    for run in runs:
        told = {name for name, (flag, _) in THRESHOLDS.items() if name != MISSING_SPEC and run.raised(flag)}
        told |= {f"{MISSING_SPEC}:{missing.key}" for missing in run.missing}
        raised.update(told - run.guided)
        guided.update(run.guided)
    return {name: (count, len(runs) - guided[name]) for name, count in sorted(raised.items())}
