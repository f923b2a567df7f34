"""A hundred thousand events: gone through by the task, with progress, and nothing else is touched."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from generation.models import Subcategory
from learning import backtests, tasks
from learning.models import Backtest
from learning.thresholds import Place
from learning.triggers import decide
from learning.window import window
from review import tallies
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.test_backtest import everything

RUNS, EACH = 50_000, 2
# Past the triggers that keep tallies, which are not what is measured; only a superuser may. Without nested loops:
# nobody has counted these rows yet, and to compare each with each takes a quarter of an hour.
FILL = f"""
SET LOCAL session_replication_role = replica;
SET LOCAL enable_nestloop = off;
INSERT INTO generation_run (id, flow, subcategory_id, title, external_id, source, options, metadata, status,
  judge_outcome, suspicion, degradations, provider, model, revision, round, arm, input_tokens, output_tokens,
  cost_usd, attempts, subcategory_corrected, created_at, last_reviewed_at, last_review_event_id)
SELECT gen_random_uuid(), 'item', %(place)s, 'Run ' || n, '', '{{}}', '{{}}', '{{}}', 'approved',
  'passed', '', '[]', 'demo', '', 1, 1, 'guided', 0, 0, 0, 0, false, now(), now(), n
FROM generate_series(1, {RUNS}) n;
INSERT INTO review_reviewevent (run_id, round, sequence, kind, reviewer_id, service, source, blind, decision,
  corrections, bad_format, wrong_information, missing_spec, notes, created_at)
SELECT r.id, 1, s, 'submitted', %(person)s, '', 'person', false, 'approve', '{{}}', random() < 0.2, random() < 0.1,
  CASE WHEN random() < 0.1 THEN ARRAY['weight'] ELSE ARRAY[]::varchar[] END, '',
  '2025-01-01'::timestamptz + (r.last_review_event_id * 10 + s) * interval '1 minute'
FROM generation_run r, generate_series(1, {EACH}) s;
UPDATE generation_run r SET last_reviewed_at = e.at, last_review_event_id = e.id
FROM (SELECT run_id, max(created_at) AS at, max(id) AS id FROM review_reviewevent GROUP BY run_id) e
WHERE e.run_id = r.id;
SET LOCAL enable_nestloop = on;
SET LOCAL session_replication_role = origin;
"""


@pytest.fixture
def drills(db: None) -> Subcategory:
    made: Subcategory = SubcategoryFactory()
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"place": made.pk, "person": UserFactory().pk})
    tallies.rebuild()
    return made


def test_a_hundred_thousand_events(drills: Subcategory, monkeypatch: pytest.MonkeyPatch) -> None:
    before, shown = everything(), decide(window("item", drills.pk))
    begun = backtests.start(Place("item", drills), {"bad_format_trigger": 2}, UserFactory())
    assert (begun.finished_at, begun.done) == (None, 0)
    told = progress_of(monkeypatch)
    tasks.run_backtest(begun.pk)
    begun.refresh_from_db()
    assert (begun.total, begun.error, begun.finished_at is not None) == (RUNS * EACH, "", True)
    assert begun.result[str(drills.pk)]["reviews"] == RUNS * EACH
    assert len(told) > 40 and told == sorted(told)
    assert (everything(), decide(window("item", drills.pk))) == (before, shown)


def progress_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What is told while it goes on, as it is told."""
    told: list[int] = []
    tell: Callable[..., None] = backtests._tell

    def heard(backtest: Backtest, token: Any, **fields: Any) -> None:
        told.append(fields["done"]) if "done" in fields else None
        tell(backtest, token, **fields)

    monkeypatch.setattr(backtests, "_tell", heard)
    return told
