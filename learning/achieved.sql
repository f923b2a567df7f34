-- What each version of a prompt achieved: facts per run and version, and their sums per version.

-- The facts of these runs: of their first round, by the version that gave a stage's first answer in it, and of
-- their first review. Places as in learning/achieved.py.
CREATE OR REPLACE FUNCTION foldback_achieved_of(of_runs uuid[])
RETURNS TABLE (run_id uuid, version_id bigint, counts bigint[]) LANGUAGE sql STABLE AS $$
  WITH call AS (
    SELECT c.* FROM generation_call c
    WHERE c.run_id = ANY (of_runs) AND c.round = 1 AND c.prompt_version_id IS NOT NULL
  ), used AS (
    SELECT DISTINCT ON (c.run_id, c.stage) c.run_id, c.stage, c.prompt_version_id AS version_id
    FROM call c WHERE c.error IS NULL ORDER BY c.run_id, c.stage, c.id
  ), spent AS (
    SELECT c.run_id, c.prompt_version_id AS version_id, count(*) AS calls,
      sum(c.input_tokens::bigint + c.cache_read_tokens + c.cache_write_tokens) AS tokens_in,
      sum(c.output_tokens) AS tokens_out, round(sum(c.cost_usd) * 1000000) AS cost, sum(c.duration_ms) AS took
    FROM call c GROUP BY 1, 2
  ), judged AS (
    SELECT DISTINCT ON (j.run_id) j.run_id, j.outcome FROM generation_judgement j
    WHERE j.run_id = ANY (of_runs) AND j.round = 1 ORDER BY j.run_id, j.cycle
  ), review AS (
    -- Where several people reviewed blind, all must have accepted: as foldback_said counts it.
    SELECT DISTINCT ON (e.run_id) e.*, (e.decision = 'approve' AND e.corrections = '{}') AND coalesce(
      bool_and(e.decision = 'approve' AND e.corrections = '{}') FILTER (WHERE e.blind)
        OVER (PARTITION BY e.run_id, e.round), true) AS accepted
    FROM review_reviewevent e JOIN generation_run r ON r.id = e.run_id
    CROSS JOIN LATERAL foldback_unsettled(r.status, r.revision, r.reviews_from) AS unsettled
    WHERE e.run_id = ANY (of_runs) AND e.kind = 'submitted' AND e.source = 'person'
      AND (unsettled IS NULL OR e.sequence < unsettled)  -- not while it waits for another reviewer
      AND NOT EXISTS (SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id AND u.kind = 'undone')
    ORDER BY e.run_id, e.created_at, e.id
  )
  SELECT u.run_id, u.version_id, ARRAY[
    1,
    (r.id IS NOT NULL)::integer,
    coalesce(r.accepted::integer, 0),
    coalesce((NOT r.information_present)::integer, 0),
    coalesce((cardinality(r.missing_spec) > 0)::integer, 0),
    coalesce(r.bad_format::integer, 0),
    coalesce(r.wrong_information::integer, 0),
    coalesce(r.wrong_physical_dimensions::integer, 0),
    (j.run_id IS NOT NULL)::integer,
    coalesce((j.outcome = 'passed')::integer, 0),
    coalesce((j.outcome = 'unavailable')::integer, 0),
    s.calls, s.tokens_in, s.tokens_out, s.cost, s.took
  ]::bigint[]
  FROM used u JOIN spent s USING (run_id, version_id)
  LEFT JOIN judged j ON j.run_id = u.run_id LEFT JOIN review r ON r.run_id = u.run_id
$$;

-- The facts of these runs anew, and their sums.
CREATE OR REPLACE FUNCTION foldback_achieved_count(runs uuid[]) RETURNS void LANGUAGE sql AS $$
  -- One statement, and so of one moment: what is written meanwhile is due again.
  WITH fact AS MATERIALIZED (
    SELECT * FROM foldback_achieved_of(runs)
  ), old AS MATERIALIZED (
    SELECT * FROM learning_achievedfact WHERE run_id = ANY (runs)
  ), kept AS (
    INSERT INTO learning_achievedfact (run_id, version_id, counts) SELECT * FROM fact
    ON CONFLICT (run_id, version_id) DO UPDATE SET counts = EXCLUDED.counts
  ), gone AS (
    DELETE FROM learning_achievedfact f USING old WHERE f.id = old.id
      AND NOT EXISTS (SELECT FROM fact WHERE fact.run_id = old.run_id AND fact.version_id = old.version_id)
  ), side AS (
    SELECT version_id, counts, 1 AS sign FROM fact UNION ALL SELECT version_id, counts, -1 FROM old
  ), change AS (
    SELECT version_id, array_agg(change ORDER BY place) AS counts FROM (
      SELECT version_id, place, sum(value * sign)::bigint AS change
      FROM side, unnest(counts) WITH ORDINALITY AS one (value, place) GROUP BY 1, 2
    ) AS by_place GROUP BY 1
  )
  INSERT INTO learning_achieved AS sums (version_id, counts) SELECT version_id, counts FROM change
  ON CONFLICT (version_id) DO UPDATE SET counts = foldback_added(sums.counts, EXCLUDED.counts)
$$;
