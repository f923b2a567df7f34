-- The judge beside people: facts per judgement and criterion, where the person reviewed that draft without knowing
-- what the judge had found; their sums by who judged, and how its scores lie.

-- Which criteria of a judge are compared with what of a review: as guidance tells judges what reviewers found. asks:
-- names in the judgement's result that must all have passed. kind '': of every judge. The aspects of a review are in
-- foldback_judging_of. What is not named here is not compared: no signal of a review speaks of it.
CREATE OR REPLACE FUNCTION foldback_judging_asks()
RETURNS TABLE (kind text, criterion text, asks text[], aspect text) LANGUAGE sql IMMUTABLE AS $$
  VALUES
    ('', 'verdict', '{}'::text[], 'decision'),
    ('criteria', 'format', '{format}', 'form'),
    ('criteria', 'hallucination', '{hallucination}', 'facts'),
    ('criteria', 'fact_accuracy', '{fact_accuracy}', 'values'),
    -- People say of both that a fact is wrong, so each alone seems to pass what the other caught.
    ('criteria', 'facts', '{hallucination,fact_accuracy}', 'values'),
    ('criteria', 'content_completeness', '{content_completeness}', 'completeness'),
    ('rubric', 'total', '{}', 'decision'),
    ('rubric', 'structure', '{}', 'form'),
    ('rubric', 'clinical_accuracy', '{clinical_accuracy}', 'values'),
    ('rubric', 'pedagogical_alignment', '{pedagogical_alignment}', 'form'),
    ('rubric', 'distractor_quality', '{distractor_quality}', 'form'),
    ('rubric', 'slo_coverage', '{slo_coverage}', 'completeness')
$$;

-- A number of JSON; null where it is none.
CREATE OR REPLACE FUNCTION foldback_number(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(value) = 'number' THEN value::numeric END
$$;

-- What a judgement that could judge says of a criterion; null where it does not say.
CREATE OR REPLACE FUNCTION foldback_judged(kind text, criterion text, asks text[], outcome text, result jsonb)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN outcome = 'unavailable' THEN NULL
    WHEN criterion = 'verdict' THEN outcome = 'passed'
    WHEN criterion = 'total' THEN
      foldback_number(result->'composite_score') >= foldback_number(result->'threshold')
    WHEN criterion = 'structure' THEN
      CASE result #> '{validation,is_valid}' WHEN 'true' THEN true WHEN 'false' THEN false END
    ELSE (
      SELECT CASE WHEN count(passed) = cardinality(asks) THEN bool_and(passed) END FROM (
        SELECT CASE one->'passed' WHEN 'true' THEN true WHEN 'false' THEN false END AS passed
        FROM jsonb_array_elements(CASE jsonb_typeof(result->'criteria') WHEN 'array' THEN result->'criteria' END) one
        WHERE kind = 'criteria' AND one->>'criterion' = ANY (asks)
        UNION ALL
        SELECT foldback_number(one->'score') >= foldback_number(result->'threshold')
        FROM jsonb_array_elements(
          CASE jsonb_typeof(result->'dimensions') WHEN 'array' THEN result->'dimensions' END
        ) one
        WHERE kind = 'rubric' AND one->>'name' = ANY (asks)
      ) AS each
    )
  END
$$;

-- The facts of these runs. Of a draft that several people reviewed, the first review is taken. One that was given
-- again after it was taken back is not blind any more: who has submitted sees what the judge found.
CREATE OR REPLACE FUNCTION foldback_judging_of(of_runs uuid[])
RETURNS TABLE (
  run_id uuid, judgement_id bigint, flow text, institution_id bigint, kind text, criterion text, version_id bigint,
  model text, passed boolean, good boolean, score smallint, reviewed_at timestamptz
) LANGUAGE sql STABLE AS $$
  WITH blind AS (
    SELECT DISTINCT ON (j.id) j.*, r.flow, coalesce(r.institution_id, 0) AS institution_id,
      e.created_at AS reviewed_at, e.bad_format, e.wrong_information, e.wrong_physical_dimensions,
      e.information_present, cardinality(e.missing_spec) > 0 AS missing,
      e.decision = 'approve' AND e.corrections = '{}' AS accepted
    FROM review_reviewevent e JOIN generation_run r ON r.id = e.run_id
    CROSS JOIN LATERAL foldback_unsettled(r.status, r.revision, r.reviews_from) AS unsettled
    CROSS JOIN LATERAL (
      SELECT * FROM generation_judgement j
      WHERE j.run_id = e.run_id AND j.round = e.round AND j.draft_id = e.draft_id AND j.created_at <= e.created_at
      ORDER BY j.cycle DESC LIMIT 1
    ) AS j
    WHERE e.run_id = ANY (of_runs) AND e.kind = 'submitted' AND e.source = 'person'
      AND e.blind_to_judge  -- not only blind to the other reviewers
      AND (unsettled IS NULL OR e.sequence < unsettled)
      AND NOT EXISTS (SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id)
      AND NOT EXISTS (
        SELECT FROM review_reviewevent before JOIN review_reviewevent u ON u.undoes_id = before.id
        WHERE before.run_id = e.run_id AND before.round = e.round AND before.reviewer_id = e.reviewer_id
          AND before.sequence < e.sequence AND u.kind = 'undone'
      )
    ORDER BY j.id, e.created_at, e.id
  )
  SELECT b.run_id, b.id, b.flow, b.institution_id, b.kind, a.criterion, coalesce(b.prompt_version_id, 0), b.model,
    foldback_judged(b.kind, a.criterion, a.asks, b.outcome, b.result),
    -- What the person said: what a signal says; where none does, that whoever accepts a record as it is finds nothing
    -- wrong with it. Silence on what was sent back says nothing.
    CASE a.aspect
      WHEN 'decision' THEN b.accepted
      WHEN 'form' THEN CASE WHEN b.bad_format THEN false WHEN b.accepted OR NOT b.bad_format THEN true END
      WHEN 'facts' THEN
        CASE WHEN b.wrong_information THEN false WHEN b.accepted OR NOT b.wrong_information THEN true END
      WHEN 'values' THEN CASE
        WHEN b.wrong_information OR b.wrong_physical_dimensions THEN false
        WHEN b.accepted OR (NOT b.wrong_information AND NOT b.wrong_physical_dimensions) THEN true
      END
      WHEN 'completeness' THEN CASE
        WHEN b.missing OR NOT b.information_present THEN false
        WHEN b.accepted OR b.information_present THEN true
      END
    END,
    CASE WHEN a.criterion = 'total' AND b.outcome <> 'unavailable'
      AND foldback_judged(b.kind, 'structure', '{}', b.outcome, b.result)
      THEN least(100, greatest(0, floor(foldback_number(b.result->'composite_score') * 100)))::smallint END,
    b.reviewed_at
  FROM blind b JOIN foldback_judging_asks() a ON a.kind IN ('', b.kind)
$$;

-- The facts of these runs anew, and their sums.
CREATE OR REPLACE FUNCTION foldback_judging_count(runs uuid[]) RETURNS void LANGUAGE sql AS $$
  -- One statement, and so of one moment: what is written meanwhile is due again.
  WITH fact AS MATERIALIZED (
    SELECT * FROM foldback_judging_of(runs)
  ), old AS MATERIALIZED (
    SELECT * FROM learning_judgingfact WHERE run_id = ANY (runs)
  ), kept AS (
    INSERT INTO learning_judgingfact (
      run_id, judgement_id, flow, institution_id, kind, criterion, version_id, model, passed, good, score, reviewed_at
    ) SELECT * FROM fact
    ON CONFLICT (judgement_id, criterion) DO UPDATE SET (
      flow, institution_id, version_id, model, passed, good, score, reviewed_at
    ) = (
      EXCLUDED.flow, EXCLUDED.institution_id, EXCLUDED.version_id, EXCLUDED.model, EXCLUDED.passed, EXCLUDED.good,
      EXCLUDED.score, EXCLUDED.reviewed_at
    )
  ), gone AS (
    DELETE FROM learning_judgingfact f USING old WHERE f.id = old.id
      AND NOT EXISTS (
        SELECT FROM fact WHERE fact.judgement_id = old.judgement_id AND fact.criterion = old.criterion
      )
  ), side AS (
    SELECT flow, institution_id, kind, criterion, version_id, model, passed, good, score, 1 AS sign FROM fact
    UNION ALL
    SELECT flow, institution_id, kind, criterion, version_id, model, passed, good, score, -1 FROM old
  ), summed AS (
    INSERT INTO learning_judging AS sums (flow, kind, criterion, version_id, model, counts)
    SELECT flow, kind, criterion, version_id, model, foldback_added(ARRAY[
      sum(sign) FILTER (WHERE passed AND good),
      sum(sign) FILTER (WHERE passed AND NOT good),
      sum(sign) FILTER (WHERE NOT passed AND good),
      sum(sign) FILTER (WHERE NOT passed AND NOT good),
      sum(sign) FILTER (WHERE passed AND good IS NULL),
      sum(sign) FILTER (WHERE NOT passed AND good IS NULL),
      sum(sign) FILTER (WHERE passed IS NULL AND good),
      sum(sign) FILTER (WHERE passed IS NULL AND NOT good),
      sum(sign) FILTER (WHERE passed IS NULL AND good IS NULL)
    ]::bigint[], '{}') FROM side GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (flow, kind, criterion, version_id, model)
      DO UPDATE SET counts = foldback_added(sums.counts, EXCLUDED.counts)
  ), moved AS (
    SELECT flow, institution_id, version_id, model, score + 1 + CASE WHEN good THEN 0 ELSE 101 END AS place,
      sum(sign) AS change
    FROM side WHERE score IS NOT NULL AND good IS NOT NULL GROUP BY 1, 2, 3, 4, 5
  )
  INSERT INTO learning_judgingscores AS sums (flow, institution_id, version_id, model, counts)
  SELECT flow, institution_id, version_id, model, (
    SELECT array_agg(coalesce(m.change, 0)::bigint ORDER BY every.place)
    FROM generate_series(1, 202) AS every (place) LEFT JOIN moved m ON m.place = every.place
      AND (m.flow, m.institution_id, m.version_id, m.model)
        = (whose.flow, whose.institution_id, whose.version_id, whose.model)
  )
  FROM (SELECT DISTINCT flow, institution_id, version_id, model FROM moved) AS whose
  ON CONFLICT (flow, institution_id, version_id, model)
    DO UPDATE SET counts = foldback_added(sums.counts, EXCLUDED.counts)
$$;
