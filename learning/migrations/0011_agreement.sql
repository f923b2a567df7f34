-- People against people: patterns of what was said of one record, and pairs of people, per run and in sums.

-- What people said of the same draft in the same round, none knowing what the others say, where they are two or
-- more. A value is its place from 1; null where it is unset. As foldback_said counts: neither undone reviews nor
-- those that wait; one that was left out of learning has a decision and no signals.
CREATE OR REPLACE FUNCTION foldback_agreement_said(of_runs uuid[])
RETURNS TABLE (
  run_id uuid, flow text, round integer, draft_id bigint, reviewer_id integer,
  place integer, what text, width integer, value integer
) LANGUAGE sql STABLE AS $$
  WITH vote AS (
    SELECT DISTINCT ON (e.run_id, e.round, e.draft_id, e.reviewer_id) e.*, r.flow,
      EXISTS (SELECT FROM review_reviewevent l WHERE l.undoes_id = e.id) AS left_out
    FROM review_reviewevent e JOIN generation_run r ON r.id = e.run_id
    CROSS JOIN LATERAL foldback_unsettled(r.status, r.revision, r.reviews_from) AS unsettled
    WHERE e.run_id = ANY (of_runs) AND e.kind = 'submitted' AND e.source = 'person' AND e.blind
      AND e.reviewer_id IS NOT NULL AND e.draft_id IS NOT NULL
      AND (unsettled IS NULL OR e.sequence < unsettled)
      AND NOT EXISTS (SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id AND u.kind = 'undone')
    ORDER BY e.run_id, e.round, e.draft_id, e.reviewer_id, e.created_at, e.id
  ), several AS (
    SELECT v.*, count(*) OVER (PARTITION BY v.run_id, v.round, v.draft_id) AS people FROM vote v
  )
  SELECT s.run_id, s.flow, s.round, s.draft_id, s.reviewer_id, one.place, one.what, one.width, one.value
  FROM several s CROSS JOIN LATERAL (VALUES
    (1, 'decision', 3, array_position(ARRAY['approve', 'revise', 'reject'], s.decision::text)),
    (2, 'accepted', 2, 1 + (s.decision = 'approve' AND s.corrections = '{}')::integer),
    (3, 'information_present', 2, CASE WHEN NOT s.left_out THEN 1 + s.information_present::integer END),
    (4, 'missing_spec', 2, CASE WHEN NOT s.left_out THEN 1 + (cardinality(s.missing_spec) > 0)::integer END),
    (5, 'bad_format', 2, CASE WHEN NOT s.left_out THEN 1 + s.bad_format::integer END),
    (6, 'wrong_information', 2, CASE WHEN NOT s.left_out THEN 1 + s.wrong_information::integer END),
    (7, 'wrong_physical_dimensions', 2,
      CASE WHEN NOT s.left_out THEN 1 + s.wrong_physical_dimensions::integer END)
  ) AS one (place, what, width, value)
  WHERE s.people > 1
$$;

-- The facts of these runs anew, and their sums.
CREATE OR REPLACE FUNCTION foldback_agreement_count(runs uuid[]) RETURNS void LANGUAGE sql AS $$
  -- One statement, and so of one moment: what is written meanwhile is due again.
  WITH said AS MATERIALIZED (
    SELECT * FROM foldback_agreement_said(runs)
  ), unit AS (
    SELECT run_id, flow, what, ARRAY(
      SELECT count(*) FILTER (WHERE told = value)::smallint
      FROM generate_series(1, max(width)) AS value LEFT JOIN unnest(array_agg(said.value)) AS told ON true
      GROUP BY value ORDER BY value
    ) AS pattern
    FROM said GROUP BY run_id, flow, round, draft_id, what
  ), fact AS MATERIALIZED (
    SELECT run_id, flow, what, pattern, count(*)::integer AS units,
      (SELECT count(*) > 1 FROM unnest(pattern) AS people WHERE people > 0) AS differs
    FROM unit GROUP BY run_id, flow, what, pattern
  ), old AS MATERIALIZED (
    SELECT * FROM learning_agreementfact WHERE run_id = ANY (runs)
  ), kept AS (
    INSERT INTO learning_agreementfact (run_id, flow, what, pattern, units, differs) SELECT * FROM fact
    ON CONFLICT (run_id, flow, what, pattern) DO UPDATE SET units = EXCLUDED.units
  ), gone AS (
    DELETE FROM learning_agreementfact f USING old WHERE f.id = old.id AND NOT EXISTS (
      SELECT FROM fact WHERE (fact.run_id, fact.flow, fact.what, fact.pattern)
        = (old.run_id, old.flow, old.what, old.pattern))
  ), side AS (
    SELECT flow, what, pattern, units FROM fact UNION ALL SELECT flow, what, pattern, -units FROM old
  ), sums AS (
    INSERT INTO learning_agreement AS sums (flow, what, pattern, units)
    SELECT flow, what, pattern, sum(units) FROM side GROUP BY 1, 2, 3 HAVING sum(units) <> 0
    ON CONFLICT (flow, what, pattern) DO UPDATE SET units = sums.units + EXCLUDED.units
  ), met AS (
    SELECT a.run_id, a.flow, a.reviewer_id AS first_id, b.reviewer_id AS second_id, a.place,
      count(*) FILTER (WHERE a.value IS NOT NULL AND b.value IS NOT NULL) AS said,
      count(*) FILTER (WHERE a.value <> b.value) AS differed
    FROM said a JOIN said b ON (a.run_id, a.round, a.draft_id, a.place) = (b.run_id, b.round, b.draft_id, b.place)
      AND a.reviewer_id < b.reviewer_id
    GROUP BY 1, 2, 3, 4, 5
  ), pair AS MATERIALIZED (
    SELECT run_id, flow, first_id, second_id, array_agg(said ORDER BY place) AS said,
      array_agg(differed ORDER BY place) AS differed
    FROM met GROUP BY 1, 2, 3, 4
  ), old_pair AS MATERIALIZED (
    SELECT * FROM learning_pairfact WHERE run_id = ANY (runs)
  ), pair_kept AS (
    INSERT INTO learning_pairfact (run_id, flow, first_id, second_id, said, differed) SELECT * FROM pair
    ON CONFLICT (run_id, flow, first_id, second_id) DO UPDATE
      SET said = EXCLUDED.said, differed = EXCLUDED.differed
  ), pair_gone AS (
    DELETE FROM learning_pairfact f USING old_pair o WHERE f.id = o.id AND NOT EXISTS (
      SELECT FROM pair WHERE (pair.run_id, pair.flow, pair.first_id, pair.second_id)
        = (o.run_id, o.flow, o.first_id, o.second_id))
  ), pair_side AS (
    SELECT flow, first_id, second_id, said, differed, 1 AS sign FROM pair
    UNION ALL SELECT flow, first_id, second_id, said, differed, -1 FROM old_pair
  ), pair_change AS (
    SELECT flow, first_id, second_id, array_agg(said ORDER BY place) AS said,
      array_agg(differed ORDER BY place) AS differed
    FROM (
      SELECT flow, first_id, second_id, place, sum(one_said * sign)::bigint AS said,
        sum(one_differed * sign)::bigint AS differed
      FROM pair_side, unnest(said, differed) WITH ORDINALITY AS one (one_said, one_differed, place)
      GROUP BY 1, 2, 3, 4
    ) AS by_place GROUP BY 1, 2, 3
  )
  INSERT INTO learning_pair AS sums (flow, first_id, second_id, said, differed)
  SELECT flow, first_id, second_id, said, differed FROM pair_change
  ON CONFLICT (flow, first_id, second_id) DO UPDATE SET
    said = foldback_added(sums.said, EXCLUDED.said), differed = foldback_added(sums.differed, EXCLUDED.differed)
$$;
