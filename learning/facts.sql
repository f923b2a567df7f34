-- Which runs' facts are due to be counted anew, and what every topic counts with. Triggers note what is due, a task
-- (learning/facts.py) counts it by each topic's foldback_<topic>_count(runs uuid[]): nobody waits for a count.

-- Place by place; an absent one counts nothing.
CREATE OR REPLACE FUNCTION foldback_added(a bigint[], b bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(coalesce(x, 0) + coalesce(y, 0) ORDER BY place)
  FROM unnest(a, b) WITH ORDINALITY AS one (x, y, place)
$$;


CREATE OR REPLACE FUNCTION foldback_due_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO learning_due (run_id) SELECT DISTINCT run_id FROM made;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION foldback_due_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO learning_due (run_id) VALUES (OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER learning_due_call AFTER INSERT ON generation_call REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION foldback_due_of_runs();
CREATE TRIGGER learning_due_judgement AFTER INSERT ON generation_judgement REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION foldback_due_of_runs();
CREATE TRIGGER learning_due_event AFTER INSERT ON review_reviewevent REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION foldback_due_of_runs();
-- A run that is counted elsewhere now, or whose reviews wait for others no more.
CREATE TRIGGER learning_due_run AFTER UPDATE OF flow, subcategory_id, status, revision, reviews_from ON generation_run
  FOR EACH ROW WHEN (
    (OLD.flow, OLD.subcategory_id, foldback_unsettled(OLD.status, OLD.revision, OLD.reviews_from))
    IS DISTINCT FROM (NEW.flow, NEW.subcategory_id, foldback_unsettled(NEW.status, NEW.revision, NEW.reviews_from))
  ) EXECUTE FUNCTION foldback_due_of_run();
CREATE TRIGGER learning_due_gone AFTER DELETE ON generation_run
  FOR EACH ROW EXECUTE FUNCTION foldback_due_of_run();
