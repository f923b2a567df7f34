-- The facts of these runs, places as in learning/costs/counts.py. Runs that asked nobody anything, as imported ones,
-- have none: their records came for nothing.
CREATE OR REPLACE FUNCTION foldback_costs_of(of_runs uuid[])
RETURNS TABLE (
  run_id uuid, flow text, week date, stage text, version_id bigint, model text, counts bigint[]
) LANGUAGE sql STABLE AS $$
  WITH review AS (
    -- The first review; where several people reviewed blind, all must have accepted: as foldback_said counts it.
    SELECT DISTINCT ON (e.run_id) e.run_id, (e.decision = 'approve' AND e.corrections = '{}') AND coalesce(
      bool_and(e.decision = 'approve' AND e.corrections = '{}') FILTER (WHERE e.blind)
        OVER (PARTITION BY e.run_id, e.round), true) AS accepted
    FROM review_reviewevent e
    WHERE e.run_id = ANY (of_runs) AND e.kind = 'submitted' AND e.source = 'person'
      AND NOT EXISTS (SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id AND u.kind = 'undone')
    ORDER BY e.run_id, e.created_at, e.id
  ), run AS (
    SELECT r.id, r.flow, date_trunc('week', r.changed_at AT TIME ZONE 'UTC')::date AS week,
      (r.status = 'approved')::integer AS accepted, coalesce(v.accepted, false)::integer AS first_accepted
    FROM generation_run r LEFT JOIN review v ON v.run_id = r.id
    WHERE r.id = ANY (of_runs) AND foldback_over(r.status, r.revision)
      AND EXISTS (SELECT FROM generation_call c WHERE c.run_id = r.id)
  ), call AS (
    -- What came by the provider's batch interface had another price: a model of its own (learning/costs/counts.py).
    SELECT c.*, left(c.model, 80) || CASE WHEN c.request @> '{"economy": true}' THEN '@economy' ELSE '' END AS priced,
      coalesce(c.prompt_version_id, 0) AS version, (c.round = 1)::integer AS first,
      c.input_tokens::bigint + c.cache_read_tokens + c.cache_write_tokens + c.output_tokens AS tokens,
      round(c.cost_usd * 1000000)::bigint AS cost, i.tokens AS injected_tokens,
      i.characters AS injected_characters
    FROM generation_call c JOIN run ON run.id = c.run_id
    LEFT JOIN LATERAL (
      SELECT sum(one.characters) AS characters, sum(one.tokens) AS tokens
      FROM generation_injection one WHERE one.call_id = c.id
    ) i ON true
  ), line AS (
    SELECT id AS run_id, '' AS stage, 0::bigint AS version, '*' AS model,
      ARRAY[1, accepted, first_accepted]::bigint[] || array_fill(0::bigint, ARRAY[15]) AS counts
    FROM run
    UNION ALL
    SELECT DISTINCT run.id, c.stage, c.version, '*',
      ARRAY[1, run.accepted, run.first_accepted]::bigint[] || array_fill(0::bigint, ARRAY[15])
    FROM call c JOIN run ON run.id = c.run_id
    UNION ALL
    SELECT run_id, stage, version, priced, ARRAY[
      0, 0, 0,
      count(*), count(error), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
      sum(output_tokens), sum(cost), sum(duration_ms),
      sum(first), sum(first * tokens), sum(first * cost), sum(first * duration_ms),
      count(injected_characters), coalesce(sum(injected_characters), 0), coalesce(sum(injected_tokens), 0)
    ]::bigint[]
    FROM call GROUP BY run_id, stage, version, priced
  )
  SELECT run_id, run.flow, run.week, stage, version, model, counts FROM line JOIN run ON run.id = run_id
$$;
