-- The day of each run's first review and whether it accepted, and their sums by flow, subcategory and day.
CREATE OR REPLACE FUNCTION foldback_days_count(runs uuid[]) RETURNS void LANGUAGE sql AS $$
  -- One statement, and so of one moment: what is written meanwhile is due again.
  WITH fact AS MATERIALIZED (
    SELECT r.id AS run_id, r.flow, r.subcategory_id, said.day,
      coalesce(sum(said.change) FILTER (WHERE said.what = 'accepted'), 0)::integer AS accepted
    FROM generation_run r CROSS JOIN LATERAL foldback_said(r.id, 9223372036854775807,
      foldback_unsettled(r.status, r.revision, r.reviews_from)) AS said
    WHERE r.id = ANY (runs) AND r.subcategory_id IS NOT NULL AND said.day IS NOT NULL
      AND said.what IN ('first', 'accepted')
    GROUP BY r.id, said.day
  ), old AS MATERIALIZED (
    SELECT * FROM learning_dayfact WHERE run_id = ANY (runs)
  ), kept AS (
    INSERT INTO learning_dayfact (run_id, flow, subcategory_id, day, accepted) SELECT * FROM fact
    ON CONFLICT (run_id) DO UPDATE SET flow = EXCLUDED.flow, subcategory_id = EXCLUDED.subcategory_id,
      day = EXCLUDED.day, accepted = EXCLUDED.accepted
  ), gone AS (
    DELETE FROM learning_dayfact f USING old WHERE f.run_id = old.run_id
      AND NOT EXISTS (SELECT FROM fact WHERE fact.run_id = old.run_id)
  ), change AS (
    SELECT flow, subcategory_id, day, sum(sign) AS first, sum(sign * accepted) AS accepted FROM (
      SELECT flow, subcategory_id, day, accepted, 1 AS sign FROM fact
      UNION ALL SELECT flow, subcategory_id, day, accepted, -1 FROM old
    ) AS side GROUP BY 1, 2, 3
  )
  INSERT INTO learning_daysum AS sums (flow, subcategory_id, day, first, accepted)
  SELECT * FROM change WHERE first <> 0 OR accepted <> 0
  ON CONFLICT (flow, subcategory_id, day) DO UPDATE
    SET first = sums.first + EXCLUDED.first, accepted = sums.accepted + EXCLUDED.accepted
$$;
