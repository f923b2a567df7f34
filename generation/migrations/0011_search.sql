-- Searching: a text's words without case, accents and punctuation, and the trigger that keeps those of newest drafts.

CREATE OR REPLACE FUNCTION foldback_folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT translate(
    lower(regexp_replace(normalize(replace(given, 'ß', 'ss'), NFKD), '[\u0300-\u036f\u00ad\u200b]', '', 'g')),
    '/\_-.,;:()[]{}<>"''+=*#@&|~`!?%', repeat(' ', 40)
  )
$$;

-- All texts and numbers in it, without the names of its fields.
CREATE OR REPLACE FUNCTION foldback_texts(document jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg(part #>> '{}', ' ') FROM jsonb_path_query(document, 'strict $.**') part
  WHERE jsonb_typeof(part) IN ('string', 'number')
$$;

-- The first 50,000 characters: what a vector of words can hold, whatever they are.
CREATE OR REPLACE FUNCTION foldback_words(title text, external_id text, source jsonb, record jsonb)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT strip(to_tsvector('simple', foldback_folded(
    left(concat_ws(' ', title, external_id, foldback_texts(record), foldback_texts(source)), 50000))))
$$;

-- What is asked for: every word, or one that begins so where it has three letters or more.
CREATE OR REPLACE FUNCTION foldback_asked(given text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(plainto_tsquery('simple', foldback_folded(given))::text, '([^ '']{3})''', '\1'':*', 'g')::tsquery
$$;

CREATE OR REPLACE FUNCTION foldback_draft_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO generation_runtext (run_id, words)
  SELECT r.id, foldback_words(r.title, r.external_id, r.source, NEW.content)
  FROM generation_run r WHERE r.id = NEW.run_id
  ON CONFLICT (run_id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER generation_draft_words AFTER INSERT ON generation_draft
  FOR EACH ROW EXECUTE FUNCTION foldback_draft_words();

INSERT INTO generation_runtext (run_id, words)
SELECT r.id, foldback_words(r.title, r.external_id, r.source, d.content)
FROM generation_run r LEFT JOIN generation_draft d ON d.run_id = r.id AND d.revision = r.revision
ON CONFLICT DO NOTHING;
