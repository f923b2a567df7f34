-- A run that two or more people review: what is asked of it, and what of its reviews counts before it is decided.

-- What an admin asks of a run's reviews; a batch's policy goes before the flow's.
CREATE OR REPLACE FUNCTION foldback_review_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  found record;
BEGIN
  SELECT p.reviewers, p.four_eyes, p.blind_to_judge INTO found FROM review_reviewpolicy p
  WHERE p.batch_id = NEW.batch_id OR (p.batch_id IS NULL AND p.flow = NEW.flow)
  ORDER BY p.batch_id NULLS LAST LIMIT 1;
  NEW.reviews_needed := coalesce(found.reviewers, 1);
  NEW.four_eyes := coalesce(found.four_eyes, false);
  NEW.blind_to_judge := coalesce(found.blind_to_judge, false);
  RETURN NEW;
END $$;

-- The number from which on a run's reviews wait for others; null where none does.
CREATE OR REPLACE FUNCTION foldback_unsettled(status text, revision integer, reviews_from integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN foldback_stage(status, revision) = 'waiting' THEN reviews_from END
$$;

-- As before (tallies.sql), without the reviews that wait. Where several people reviewed blind, all must have accepted.
CREATE OR REPLACE FUNCTION foldback_said(of_run uuid, last bigint, unsettled integer)
RETURNS TABLE (day date, what text, change integer) LANGUAGE sql STABLE AS $$
  WITH standing AS (
    SELECT e.*, EXISTS (SELECT FROM review_reviewevent l WHERE l.undoes_id = e.id AND l.id <= last) AS left_out
    FROM review_reviewevent e
    WHERE e.run_id = of_run AND e.id <= last AND e.kind = 'submitted' AND e.source = 'person'
      AND (unsettled IS NULL OR e.sequence < unsettled)
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
    SELECT foldback_day(o.created_at) AS day, (
      SELECT bool_and(s.decision = 'approve' AND s.corrections = '{}')::integer
      FROM standing s WHERE s.id = o.id OR (s.blind AND s.round = o.round)
    ) AS accepted
    FROM standing o ORDER BY o.created_at, o.id LIMIT 1
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

CREATE OR REPLACE FUNCTION foldback_said(of_run uuid, last bigint)
RETURNS TABLE (day date, what text, change integer) LANGUAGE sql STABLE AS $$
  SELECT said.* FROM generation_run r,
    LATERAL foldback_said(of_run, last, foldback_unsettled(r.status, r.revision, r.reviews_from)) said
  WHERE r.id = of_run
$$;

CREATE OR REPLACE FUNCTION foldback_tally_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newest constant bigint := 9223372036854775807;
  before constant integer := foldback_unsettled(OLD.status, OLD.revision, OLD.reviews_from);
  after constant integer := foldback_unsettled(NEW.status, NEW.revision, NEW.reviews_from);
BEGIN
  INSERT INTO review_tally (flow, subcategory_id, day, what, change)
  SELECT * FROM (VALUES
    (OLD.flow, OLD.subcategory_id, NULL::date, foldback_stage(OLD.status, OLD.revision), -1),
    (NEW.flow, NEW.subcategory_id, NULL, foldback_stage(NEW.status, NEW.revision), 1)
  ) AS one (flow, subcategory_id, day, what, change) WHERE what IS NOT NULL;
  IF (OLD.flow, OLD.subcategory_id, before) IS DISTINCT FROM (NEW.flow, NEW.subcategory_id, after) THEN
    INSERT INTO review_tally (flow, subcategory_id, day, what, change)
    SELECT side.flow, side.subcategory_id, side.day, side.what, sum(side.change) FROM (
      SELECT OLD.flow AS flow, CASE WHEN day IS NULL THEN OLD.subcategory_id END AS subcategory_id, day, what,
        -change AS change
      FROM foldback_said(NEW.id, newest, before)
      UNION ALL
      SELECT NEW.flow, CASE WHEN day IS NULL THEN NEW.subcategory_id END, day, what, change
      FROM foldback_said(NEW.id, newest, after)
    ) AS side GROUP BY 1, 2, 3, 4 HAVING sum(side.change) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER review_rules BEFORE INSERT OR UPDATE OF reviews_needed ON generation_run
  FOR EACH ROW WHEN (NEW.reviews_needed IS NULL) EXECUTE FUNCTION foldback_review_rules();
DROP TRIGGER review_tally_run ON generation_run;
CREATE TRIGGER review_tally_run AFTER UPDATE OF status, revision, flow, subcategory_id, reviews_from ON generation_run
  FOR EACH ROW WHEN (
    (foldback_stage(OLD.status, OLD.revision), OLD.flow, OLD.subcategory_id,
      foldback_unsettled(OLD.status, OLD.revision, OLD.reviews_from))
    IS DISTINCT FROM (foldback_stage(NEW.status, NEW.revision), NEW.flow, NEW.subcategory_id,
      foldback_unsettled(NEW.status, NEW.revision, NEW.reviews_from))
  ) EXECUTE FUNCTION foldback_tally_run();
