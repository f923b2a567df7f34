-- The counts of review_tally: what a run counts for, and the triggers that write each change of it.

CREATE OR REPLACE FUNCTION foldback_stage(status text, revision integer, set_aside boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN status IN ('awaiting_review', 'needs_human_review') OR status = 'failed' AND revision >= 1
      THEN CASE WHEN set_aside THEN 'set_aside' ELSE 'waiting' END
    WHEN status IN ('queued', 'generating', 'reviewing', 'fixing') THEN 'progress'
    WHEN status IN ('failed', 'stopped') THEN 'without_record'
  END
$$;

CREATE OR REPLACE FUNCTION foldback_day(moment timestamptz) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (moment AT TIME ZONE 'UTC')::date $$;

-- What the reviews of a run count for, by its events up to `last` (inclusive): before and after any of them.
CREATE OR REPLACE FUNCTION foldback_said(of_run uuid, last bigint)
RETURNS TABLE (day date, what text, change integer) LANGUAGE sql STABLE AS $$
  WITH standing AS (
    SELECT e.*, EXISTS (SELECT FROM review_reviewevent l WHERE l.undoes_id = e.id AND l.id <= last) AS left_out
    FROM review_reviewevent e
    WHERE e.run_id = of_run AND e.id <= last AND e.kind = 'submitted' AND e.source = 'person'
      AND NOT EXISTS (
        SELECT FROM review_reviewevent u WHERE u.undoes_id = e.id AND u.kind = 'undone' AND u.id <= last
      )
  ), counting AS (
    SELECT count(*)::integer AS reviews,
      bool_or(information_present) AS present, bool_or(NOT information_present) AS low,
      bool_or(cardinality(missing_spec) > 0) AS missing, bool_or(bad_format) AS format,
      bool_or(wrong_information) AS wrong, bool_or(wrong_physical_dimensions) AS sizes
    FROM standing WHERE NOT left_out
  ), opening AS (
    SELECT foldback_day(created_at) AS day, (decision = 'approve' AND corrections = '{}')::integer AS accepted
    FROM standing ORDER BY created_at, id LIMIT 1
  )
  SELECT NULL::date, name, value FROM counting, LATERAL (VALUES
    ('reviews', reviews), ('runs', (reviews > 0)::integer), ('information_present', present::integer),
    ('information_present_low', low::integer), ('missing_spec', missing::integer), ('bad_format', format::integer),
    ('wrong_information', wrong::integer), ('wrong_physical_dimensions', sizes::integer)) AS one (name, value)
  WHERE value > 0
  UNION ALL
  SELECT one.day, name, value FROM opening, LATERAL (VALUES
    (NULL, 'first', 1), (opening.day, 'first', 1),
    (NULL, 'accepted', accepted), (opening.day, 'accepted', accepted)) AS one (day, name, value)
  WHERE value > 0
  UNION ALL
  SELECT foldback_day(created_at), 'reviewed', count(*)::integer FROM standing GROUP BY 1
$$;

CREATE OR REPLACE FUNCTION foldback_tally_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  run record;
BEGIN
  SELECT r.flow, r.subcategory_id INTO run FROM generation_run r WHERE r.id = NEW.run_id FOR NO KEY UPDATE;
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT run.flow, CASE WHEN said.day IS NULL THEN run.subcategory_id END, said.day, said.what,
    sum(said.change * side.sign)
  FROM (VALUES (NEW.id - 1, -1), (NEW.id, 1)) AS side (last, sign), LATERAL foldback_said(NEW.run_id, side.last) said
  GROUP BY said.day, said.what HAVING sum(said.change * side.sign) <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION foldback_tally_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT flow, subcategory_id, NULL::date, foldback_stage(status, revision, set_aside), count(*) FROM made
  WHERE foldback_stage(status, revision, set_aside) IS NOT NULL GROUP BY 1, 2, 4
  UNION ALL
  SELECT flow, subcategory_id, NULL::date, 'is ' || status, count(*) FROM made GROUP BY 1, 2, 4
  UNION ALL
  SELECT flow, NULL, foldback_day(created_at), 'created', count(*) FROM made GROUP BY 1, 3;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION foldback_tally_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT one.flow, one.subcategory_id, one.day, one.what, sum(one.change) FROM (VALUES
    (OLD.flow, OLD.subcategory_id, NULL::date, foldback_stage(OLD.status, OLD.revision, OLD.set_aside), -1),
    (NEW.flow, NEW.subcategory_id, NULL, foldback_stage(NEW.status, NEW.revision, NEW.set_aside), 1),
    (OLD.flow, OLD.subcategory_id, NULL, 'is ' || OLD.status, -1),
    (NEW.flow, NEW.subcategory_id, NULL, 'is ' || NEW.status, 1)
  ) AS one (flow, subcategory_id, day, what, change)
  WHERE what IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0;
  IF (OLD.flow, OLD.subcategory_id) IS DISTINCT FROM (NEW.flow, NEW.subcategory_id) THEN
    INSERT INTO review_tally (flow, subcategory_id, day, what, change)
    SELECT side.flow, CASE WHEN said.day IS NULL THEN side.subcategory_id END, said.day, said.what,
      said.change * side.sign
    FROM (VALUES (OLD.flow, OLD.subcategory_id, -1), (NEW.flow, NEW.subcategory_id, 1))
      AS side (flow, subcategory_id, sign), foldback_said(NEW.id, 9223372036854775807) said
    WHERE said.day IS NULL OR OLD.flow <> NEW.flow;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION foldback_tally_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT * FROM (VALUES
    (OLD.flow, OLD.subcategory_id, NULL::date, foldback_stage(OLD.status, OLD.revision, OLD.set_aside), -1),
    (OLD.flow, OLD.subcategory_id, NULL, 'is ' || OLD.status, -1),
    (OLD.flow, NULL, foldback_day(OLD.created_at), 'created', -1)
  ) AS one (flow, subcategory_id, day, what, change) WHERE what IS NOT NULL;
  RETURN NULL;
END $$;

-- All rows to one per count. Who folds or rebuilds at the same time waits; who counts does not.
CREATE OR REPLACE FUNCTION foldback_tally_fold() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  folded bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('foldback.tally'));
  WITH many AS (
    SELECT id, count(*) OVER (PARTITION BY flow, subcategory_id, day, what) AS rows FROM review_tally
  ), gone AS (
    DELETE FROM review_tally t USING many WHERE many.id = t.id AND many.rows > 1 RETURNING t.*
  ), kept AS (
    INSERT INTO review_tally (flow, subcategory_id, day, what, change)
    SELECT flow, subcategory_id, day, what, sum(change) FROM gone GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0
  )
  SELECT count(*) INTO folded FROM gone;
  RETURN folded;
END $$;

-- All counts anew, in one statement and so of one moment: what is counted meanwhile is added to it.
CREATE OR REPLACE FUNCTION foldback_tally_rebuild() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('foldback.tally'));
  WITH gone AS (DELETE FROM review_tally)
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT flow, subcategory_id, NULL::date, foldback_stage(status, revision, set_aside), count(*) FROM generation_run
  WHERE foldback_stage(status, revision, set_aside) IS NOT NULL GROUP BY 1, 2, 4
  UNION ALL
  SELECT flow, subcategory_id, NULL::date, 'is ' || status, count(*) FROM generation_run GROUP BY 1, 2, 4
  UNION ALL
  SELECT flow, NULL, foldback_day(created_at), 'created', count(*) FROM generation_run GROUP BY 1, 3
  UNION ALL
  SELECT r.flow, CASE WHEN said.day IS NULL THEN r.subcategory_id END, said.day, said.what, sum(said.change)
  FROM generation_run r, LATERAL foldback_said(r.id, 9223372036854775807) said
  WHERE EXISTS (SELECT FROM review_reviewevent e WHERE e.run_id = r.id)
  GROUP BY 1, 2, 3, 4;
END $$;

CREATE TRIGGER review_tally_event AFTER INSERT ON review_reviewevent
  FOR EACH ROW EXECUTE FUNCTION foldback_tally_event();
CREATE TRIGGER review_tally_runs AFTER INSERT ON generation_run REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION foldback_tally_runs();
CREATE TRIGGER review_tally_run AFTER UPDATE OF status, revision, set_aside, flow, subcategory_id ON generation_run
  FOR EACH ROW WHEN (
    (foldback_stage(OLD.status, OLD.revision, OLD.set_aside), OLD.status, OLD.flow, OLD.subcategory_id) IS DISTINCT
    FROM (foldback_stage(NEW.status, NEW.revision, NEW.set_aside), NEW.status, NEW.flow, NEW.subcategory_id)
  ) EXECUTE FUNCTION foldback_tally_run();
CREATE TRIGGER review_tally_gone AFTER DELETE ON generation_run
  FOR EACH ROW EXECUTE FUNCTION foldback_tally_gone();
SELECT foldback_tally_rebuild();
