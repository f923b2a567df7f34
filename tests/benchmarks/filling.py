"""A database with a history of any size, made inside PostgreSQL: a million runs in minutes.

Triggers rest while the rows go in (only a superuser may say so); the tallies are counted anew at the end.
"""

from django.db import connection

from learning import facts
from review import tallies

REVIEWERS = 400
SUBCATEGORIES = 3  # so few that of a thousand runs, too, each has more than any page shows

_PEOPLE = """
INSERT INTO auth_user (username, password, first_name, last_name, email,
  is_superuser, is_staff, is_active, date_joined)
SELECT 'reviewer' || n, '', '', '', '', true, true, true, now() FROM generate_series(1, %(reviewers)s) n;
INSERT INTO generation_category (name) VALUES ('Tools') ON CONFLICT DO NOTHING;
INSERT INTO generation_institution (slug, name, quality_threshold)
SELECT 'house-' || n, 'House ' || n, 0.7 FROM generate_series(1, 4) n;
INSERT INTO generation_batch (id, name, parallel, cost_usd, created_at)
SELECT md5('batch' || n)::uuid, 'Batch ' || n, false, 0, now() FROM generate_series(0, %(runs)s / 1000) n;
INSERT INTO generation_subcategory (slug, name, category_id)
SELECT 'part-' || n, 'Part ' || n, (SELECT min(id) FROM generation_category) FROM generate_series(1, %(parts)s) n
"""
# Of ten runs four were approved, three rejected, two wait, and one waits for a person's help or failed; nine of
# ten that failed did so before their first draft. `draw` has nothing to do with that: of its ten one was held out,
# two were reviewed blind to the judge, one has a second reviewer. Rows go in as time wrote them, none is updated.
_RUNS = """
CREATE TEMPORARY TABLE filled ON COMMIT DROP AS
SELECT n, part, status, made, reviewer, CASE WHEN n %% 20 < 19 OR n %% 200 = 199 THEN 1 ELSE 0 END AS revision,
  (n + n / 10) %% 10 AS draw, (lpad(to_hex((extract(epoch FROM made) * 1000)::bigint), 12, '0') || '7000' || '8' ||
    substr(md5('' || n), 1, 15))::uuid AS id
FROM (
  SELECT n, (SELECT min(id) FROM generation_subcategory) + (n / 10) %% %(parts)s AS part,
    CASE WHEN n %% 10 < 4 THEN 'approved' WHEN n %% 10 < 7 THEN 'rejected' WHEN n %% 10 < 9 THEN 'awaiting_review'
      WHEN n %% 20 = 9 THEN 'needs_human_review' ELSE 'failed' END AS status,
    now() - make_interval(secs => (%(runs)s - n) * 60.0) - interval '3 days' AS made,
    (SELECT min(id) FROM auth_user) + n %% %(reviewers)s AS reviewer
  FROM generate_series(1, %(runs)s) n
) one;
INSERT INTO generation_run (id, flow, subcategory_id, subcategory_corrected, external_id, title, source, options,
  metadata, status, judge_outcome, suspicion, degradations, provider, model, revision, round, arm, holdout_share,
  trigger_state, input_tokens, output_tokens, cost_usd, created_at, changed_at, attempts, last_reviewed_at,
  last_review_event_id, institution_id, batch_id)
SELECT id, 'item', part, false, '', 'Thing ' || n,
  jsonb_build_object('title', 'Thing ' || n, 'text', repeat('18 V, 54 Nm, a text of some length. ', 12)),
  '{}', '{}', status, 'passed', '', '[]', 'demo', '', revision, 1,
  CASE WHEN draw = 4 THEN 'control' ELSE 'guided' END, revision * 0.1,
  CASE WHEN revision = 1 THEN jsonb_build_object('basis', jsonb_build_object('subcategory', part), 'triggers',
    jsonb_build_object('bad_format_trigger', jsonb_build_object('fired', n %% 3 = 0))) END,
  0, 0, 0, made, made + interval '1 hour', 1, CASE WHEN n %% 10 < 7 THEN made + interval '1 hour' END,
  CASE WHEN n %% 10 < 7 THEN n END, (SELECT min(id) FROM generation_institution) + n %% 4,
  md5('batch' || n / 1000)::uuid
FROM filled ORDER BY n;
INSERT INTO generation_draft (run_id, revision, round, content, findings, made_by, created_at)
SELECT id, 1, 1, jsonb_build_object('name', 'Thing ' || n, 'description', 'A thing.',
  'specifications', jsonb_build_array(jsonb_build_object('name', 'voltage', 'value', n %% 40, 'unit', 'V')),
  'dimensions', jsonb_build_object('length', jsonb_build_object('value', 100 + n %% 90, 'unit', 'mm')),
  'sources', '[]'::jsonb), '[]', 'extraction', made
FROM filled WHERE revision = 1 ORDER BY n;
INSERT INTO generation_runtext (run_id, created_at, words)
SELECT id, made, foldback_words('Thing ' || n || CASE WHEN n %% 997 = 3 THEN ' zither' ELSE '' END
  || CASE WHEN n %% 97 = 3 THEN ' cittern' ELSE '' END
  || CASE WHEN n %% (%(runs)s / 10) = 3 THEN ' psaltery' ELSE '' END, '',
  jsonb_build_object('text', repeat('18 V, 54 Nm, a text of some length. ', 12)), '{"name": "A thing."}')
FROM filled ORDER BY n;
INSERT INTO generation_call (run_id, round, cycle, stage, attempt, provider, model, system, "user", request,
  answer, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, duration_ms, created_at,
  prompt_version_id)
SELECT id, 1, 1, 'extraction', 1, 'demo', 'demo', '', '', '{}', '', 1000, 200, 500, 0, 0.01, 900, made,
  (SELECT live_id FROM generation_prompt WHERE flow = 'item' AND stage = 'extraction')
FROM filled WHERE revision = 1 ORDER BY n;
INSERT INTO generation_injection (call_id, position, placeholder, guidance_key, text, characters, tokens, reason,
  evidence)
SELECT c.id, 1, 'EXTRACTION_REVIEW', 'bad_format.extraction', '', 120, 30, 'bad_format_trigger', '[]'
FROM filled JOIN generation_call c ON c.run_id = filled.id WHERE n %% 3 = 0 AND draw <> 4 ORDER BY n;
INSERT INTO generation_judgement (run_id, draft_id, round, cycle, kind, outcome, model, result, correction_applied,
  correction_target, created_at, prompt_version_id)
SELECT filled.id, d.id, 1, 1, 'supervisor', CASE WHEN n %% 4 = 0 THEN 'failed' ELSE 'passed' END, 'demo', '{}',
  false, '', made, (SELECT live_id FROM generation_prompt WHERE flow = 'item' AND stage = 'supervisor')
FROM filled JOIN generation_draft d ON d.run_id = filled.id ORDER BY n;
"""
_REVIEWS = """
INSERT INTO review_reviewevent (id, run_id, draft_id, round, sequence, kind, reviewer_id, service, source, blind,
  blind_to_judge, decision, corrections, information_present, bad_format, wrong_information,
  wrong_physical_dimensions, missing_spec, notes, created_at)
SELECT n, filled.id, d.id, 1, 1, 'submitted', reviewer, '', 'person', draw IN (3, 5, 7), draw IN (5, 7),
  CASE status WHEN 'approved' THEN 'approve' ELSE 'reject' END, '{}',
  n %% 7 > 0, n %% 9 = 0, n %% 8 = 0, n %% 11 = 0,
  CASE WHEN n %% 5 = 0 THEN ARRAY['weight'] ELSE ARRAY[]::varchar[] END, '', made + interval '1 hour'
FROM filled JOIN generation_draft d ON d.run_id = filled.id WHERE n %% 10 < 7 ORDER BY n;
SELECT setval('review_reviewevent_id_seq', %(runs)s + 1);
INSERT INTO review_reviewevent (run_id, draft_id, round, sequence, kind, reviewer_id, service, source, blind,
  blind_to_judge, decision, corrections, information_present, bad_format, wrong_information,
  wrong_physical_dimensions, missing_spec, notes, created_at)
SELECT e.run_id, e.draft_id, 1, 2, 'submitted', (SELECT min(id) FROM auth_user) + (n + 1) %% %(reviewers)s,
  '', 'person', true, false, e.decision, '{}', e.information_present, n %% 90 < 13, e.wrong_information,
  e.wrong_physical_dimensions, e.missing_spec, '', e.created_at
FROM filled JOIN review_reviewevent e ON e.run_id = filled.id WHERE draw = 3 ORDER BY n
"""


def fill(runs: int, subcategories: int = SUBCATEGORIES) -> None:
    """So many runs with drafts, seven of ten reviewed; then what a quiet hour would do."""
    wanted = {"runs": runs, "parts": subcategories, "reviewers": REVIEWERS}
    with connection.cursor() as cursor:
        cursor.execute("BEGIN; SET LOCAL session_replication_role = replica")
        cursor.execute(_PEOPLE, wanted)
        cursor.execute(_RUNS, wanted)
        cursor.execute(_REVIEWS, wanted)
        cursor.execute("COMMIT; ANALYZE")
    tallies.rebuild()
    facts.rebuild()
    facts.fold()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
