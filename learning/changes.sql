-- The history of merged names and of switches, written by the database: bulk writes and cascades pass no code of ours.

CREATE FUNCTION foldback_synonym_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- One after the other, until the commit: a reader who sees an id has seen all that are smaller.
  PERFORM pg_advisory_xact_lock(hashtext('learning_controlchange'));
  IF TG_OP <> 'INSERT' AND (TG_OP = 'DELETE' OR (OLD.flow, OLD.name) <> (NEW.flow, NEW.name)) THEN
    INSERT INTO learning_controlchange (kind, flow, name, at) VALUES ('synonym', OLD.flow, OLD.name, clock_timestamp());
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO learning_controlchange (kind, flow, name, value, at)
    VALUES ('synonym', NEW.flow, NEW.name, NEW.canonical, clock_timestamp());
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION foldback_switch_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO learning_controlchange (kind, flow, name, subcategory_id, at)
    VALUES ('switch', '', '', OLD.subcategory_id, clock_timestamp());
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO learning_controlchange (kind, flow, name, subcategory_id, value, at)
    VALUES ('switch', '', '', NEW.subcategory_id, NEW.why, clock_timestamp());
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER learning_synonym_change AFTER INSERT OR UPDATE OR DELETE ON learning_fieldsynonym
  FOR EACH ROW EXECUTE FUNCTION foldback_synonym_change();
CREATE TRIGGER learning_switch_change AFTER INSERT OR UPDATE OR DELETE ON learning_switch
  FOR EACH ROW EXECUTE FUNCTION foldback_switch_change();

INSERT INTO learning_controlchange (kind, flow, name, value, at)
SELECT 'synonym', flow, name, canonical, clock_timestamp() FROM learning_fieldsynonym ORDER BY id;
INSERT INTO learning_controlchange (kind, flow, name, subcategory_id, value, at)
SELECT 'switch', '', '', subcategory_id, why, at FROM learning_switch ORDER BY id;

-- What speaks today is the first version of each text.
INSERT INTO learning_guidanceversion (guidance_id, number, text, author_id, note, created_at)
SELECT id, 1, text, changed_by_id, '', changed_at FROM learning_guidance;
INSERT INTO learning_guidancemove (guidance_id, to_version_id, enabled, by_id, why, at)
SELECT v.guidance_id, v.id, g.enabled, g.changed_by_id, '', g.changed_at
FROM learning_guidanceversion v JOIN learning_guidance g ON g.id = v.guidance_id;
UPDATE learning_guidance g SET live_id = v.id FROM learning_guidanceversion v WHERE v.guidance_id = g.id;

SET CONSTRAINTS ALL IMMEDIATE; -- what follows in this transaction puts triggers on these tables
