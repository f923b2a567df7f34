-- What an admin asks of a run's reviews; a batch's policy goes before the flow's. A run that was drawn is blind to its
-- judge whatever they ask.
CREATE OR REPLACE FUNCTION foldback_review_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  found record;
BEGIN
  SELECT p.reviewers, p.four_eyes, p.blind_to_judge INTO found FROM review_reviewpolicy p
  WHERE p.batch_id = NEW.batch_id OR (p.batch_id IS NULL AND p.flow = NEW.flow)
  ORDER BY p.batch_id NULLS LAST LIMIT 1;
  NEW.reviews_needed := coalesce(found.reviewers, 1);
  NEW.four_eyes := coalesce(found.four_eyes, false);
  NEW.blind_to_judge := NEW.drawn_blind OR coalesce(found.blind_to_judge, false);
  RETURN NEW;
END $$;

CREATE TRIGGER review_rules BEFORE INSERT OR UPDATE OF reviews_needed ON generation_run
  FOR EACH ROW WHEN (NEW.reviews_needed IS NULL) EXECUTE FUNCTION foldback_review_rules();
