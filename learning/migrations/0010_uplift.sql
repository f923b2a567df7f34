-- Whether guidance helps: a fact per run, of its first round and first review, and their sums per place, share of the
-- holdout and arm.

-- When each of these runs' first round was first sent a trigger's guidance.
CREATE OR REPLACE FUNCTION foldback_uplift_sent(of_runs uuid[])
RETURNS TABLE (run_id uuid, trigger text, at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT c.run_id, i.reason, min(c.created_at) FROM generation_call c JOIN generation_injection i ON i.call_id = c.id
  WHERE c.run_id = ANY (of_runs) AND c.round = 1 AND i.reason LIKE '%\_trigger' GROUP BY 1, 2
$$;

-- The facts of these runs. Places as in learning/uplift/counting.py. A run stands where it was generated, whatever its
-- subcategory was corrected to: that is where guidance was given to it or kept from it. One whose triggers nobody
-- asked for (learning was off) had nothing drawn: its share is 0.
CREATE OR REPLACE FUNCTION foldback_uplift_of(of_runs uuid[])
RETURNS TABLE (
  run_id uuid, flow text, subcategory_id bigint, share numeric, arm text, made_at timestamptz, counts smallint[]
) LANGUAGE sql STABLE AS $$
  -- Run by run, each by its indexes: joins of all of them would hang on statistics, which a bulk load has not yet.
  SELECT p.id, p.flow, p.place, CASE WHEN p.state IS NULL THEN 0 ELSE p.holdout_share END, p.arm, made.at,
    ARRAY[1, (said.accepted IS NOT NULL)::integer, coalesce(said.accepted, false)::integer]::smallint[] || (
      SELECT array_agg(value::smallint ORDER BY one.place, part) FROM (VALUES
        (1, 'wrong_physical_dimensions_trigger', said.sizes), (2, 'missing_spec_trigger', said.missing),
        (3, 'wrong_information_trigger', said.wrong), (4, 'bad_format_trigger', said.format),
        (5, 'information_present_low_trigger', said.low)
      ) AS one (place, trigger, raised)
      CROSS JOIN LATERAL (SELECT
        (first.sent ->> one.trigger)::timestamptz AS first, coalesce((own.sent ->> one.trigger)::timestamptz, made.at) AS at,
        said.accepted IS NOT NULL AS reviewed
      ) AS time
      CROSS JOIN LATERAL (SELECT
        reviewed AND coalesce((p.state #>> ARRAY['triggers', one.trigger, 'fired'])::boolean, false) AS fired,
        reviewed AND NOT coalesce(time.at >= time.first, false) AS before,
        reviewed AND p.state IS NOT NULL AND time.at >= time.first AS since,
        coalesce(one.raised, false) AS came
      ) AS was
      CROSS JOIN LATERAL (VALUES
        (1, fired), (2, fired AND came), (3, before), (4, before AND came), (5, since), (6, since AND came)
      ) AS part (part, is_so) CROSS JOIN LATERAL (SELECT coalesce(is_so, false)::integer AS value) AS number
    )
  FROM (
    SELECT r.id, r.flow, r.arm, r.holdout_share, state.state,
      foldback_unsettled(r.status, r.revision, r.reviews_from) AS unsettled,
      coalesce((state.state #>> '{basis,subcategory}')::bigint, (
        SELECT s.id FROM review_reviewevent e JOIN generation_subcategory s ON s.slug = e.corrections #>> '{subcategory,from}'
        WHERE e.run_id = r.id AND e.kind = 'submitted' AND e.corrections ? 'subcategory' ORDER BY e.id LIMIT 1
      ), r.subcategory_id) AS place
    FROM generation_run r
    CROSS JOIN LATERAL (SELECT CASE WHEN r.round = 1 THEN r.trigger_state ELSE r.first_trigger_state END) AS state (state)
    WHERE r.id = ANY (of_runs)
  ) AS p
  CROSS JOIN LATERAL (
    SELECT min(c.created_at) AS at FROM generation_call c WHERE c.run_id = p.id AND c.round = 1
  ) AS made
  CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(s.trigger, s.at) AS sent FROM foldback_uplift_sent(ARRAY[p.id]) s
  ) AS own
  CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(f.trigger, f.at) AS sent FROM learning_firstsent f
    WHERE f.flow = p.flow AND f.subcategory_id = p.place
  ) AS first
  CROSS JOIN LATERAL (
    -- Where several people reviewed blind, all must have accepted, and any may have raised: as foldback_said counts.
    -- Null where there is no first review of the first round.
    WITH standing AS (
      SELECT e.* FROM review_reviewevent e
      WHERE e.run_id = p.id AND e.kind = 'submitted' AND e.source = 'person'
        AND (p.unsettled IS NULL OR e.sequence < p.unsettled)
        AND NOT EXISTS (SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id)  -- taken back, or left out
    ), opening AS (
      SELECT * FROM standing ORDER BY created_at, id LIMIT 1
    )
    SELECT bool_and(s.decision = 'approve' AND s.corrections = '{}') AS accepted,
      bool_or(s.wrong_physical_dimensions) AS sizes, bool_or(cardinality(s.missing_spec) > 0) AS missing,
      bool_or(s.wrong_information) AS wrong, bool_or(s.bad_format) AS format, bool_or(NOT s.information_present) AS low
    FROM opening o CROSS JOIN standing s WHERE o.round = 1 AND (s.id = o.id OR s.blind AND s.round = 1)
  ) AS said
  WHERE p.place IS NOT NULL
$$;

-- The facts of these runs anew, and their sums. Where guidance turns out to have been sent for the first time, or
-- earlier than was known, runs made since are counted along: they come after it now.
CREATE OR REPLACE FUNCTION foldback_uplift_count(runs uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  since uuid[];
BEGIN
  WITH earlier AS (
    INSERT INTO learning_firstsent AS known (flow, subcategory_id, trigger, at)
    SELECT r.flow, coalesce(
        (CASE WHEN r.round = 1 THEN r.trigger_state ELSE r.first_trigger_state END #>> '{basis,subcategory}')::bigint,
        r.subcategory_id
      ) AS place, s.trigger, min(s.at)
    FROM foldback_uplift_sent(runs) s JOIN generation_run r ON r.id = s.run_id
    WHERE r.subcategory_id IS NOT NULL GROUP BY 1, 2, 3
    ON CONFLICT (flow, subcategory_id, trigger) DO UPDATE SET at = EXCLUDED.at WHERE EXCLUDED.at < known.at
    RETURNING flow, subcategory_id, at
  )
  SELECT array_agg(DISTINCT f.run_id) INTO since FROM earlier e
  JOIN learning_upliftfact f ON (f.flow, f.subcategory_id) = (e.flow, e.subcategory_id) AND f.made_at >= e.at
  WHERE f.run_id <> ALL (runs);

  -- One statement, and so of one moment: what is written meanwhile is due again.
  WITH fact AS MATERIALIZED (
    SELECT * FROM foldback_uplift_of(runs || since)
  ), old AS MATERIALIZED (
    SELECT run_id, flow, subcategory_id, share, arm, counts FROM learning_upliftfact WHERE run_id = ANY (runs || since)
  ), kept AS (
    INSERT INTO learning_upliftfact (run_id, flow, subcategory_id, share, arm, made_at, counts) SELECT * FROM fact
    ON CONFLICT (run_id) DO UPDATE SET (flow, subcategory_id, share, arm, made_at, counts)
      = ROW (EXCLUDED.flow, EXCLUDED.subcategory_id, EXCLUDED.share, EXCLUDED.arm, EXCLUDED.made_at, EXCLUDED.counts)
  ), gone AS (
    DELETE FROM learning_upliftfact f USING old
    WHERE f.run_id = old.run_id AND NOT EXISTS (SELECT FROM fact WHERE fact.run_id = old.run_id)
  ), side AS (
    SELECT flow, subcategory_id, share, arm, counts, 1 AS sign FROM fact
    UNION ALL SELECT flow, subcategory_id, share, arm, counts, -1 FROM old
  ), change AS (
    SELECT flow, subcategory_id, share, arm, array_agg(change ORDER BY place) AS counts FROM (
      SELECT flow, subcategory_id, share, arm, place, sum(value * sign)::bigint AS change
      FROM side, unnest(counts) WITH ORDINALITY AS one (value, place) GROUP BY 1, 2, 3, 4, 5
    ) AS by_place GROUP BY 1, 2, 3, 4
  )
  INSERT INTO learning_uplift AS sums (flow, subcategory_id, share, arm, counts) SELECT * FROM change
  ON CONFLICT (flow, subcategory_id, share, arm) DO UPDATE SET counts = foldback_added(sums.counts, EXCLUDED.counts);
END $$;
