"""Full-text search over runs: which words they have, and which runs have the words that are asked for."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import connection, migrations
from django.db.models import QuerySet

from generation.keyset import behind
from generation.models import RunText

Key = tuple[datetime, UUID]  # of a text: when its run was made, and the run

LONGEST_TEXT = 200  # characters of what is asked for
NEWEST = ("-created_at", "-run_id")
SQL = Path(__file__).with_suffix(".sql")
REMOVE = """
DROP TRIGGER generation_draft_words ON generation_draft;
DROP FUNCTION foldback_draft_words(), foldback_asked(text), foldback_words(text, text, jsonb, jsonb),
  foldback_texts(jsonb), foldback_folded(text);
"""
_KEEP = """
INSERT INTO generation_runtext (run_id, created_at, words)
SELECT r.id, r.created_at, foldback_words(r.title, r.external_id, r.source, d.content)
FROM generation_run r LEFT JOIN generation_draft d ON d.run_id = r.id AND d.revision = r.revision
WHERE r.id = ANY(%s) ON CONFLICT DO NOTHING
"""
# The inner limit bounds what is looked at, the outer one ends the look with the last text that is wanted.
_NEXT = """
SELECT created_at, run_id FROM (
  SELECT created_at, run_id, words FROM generation_runtext
  WHERE (created_at, run_id) < (%(at)s::timestamptz, %(run)s::uuid)
  ORDER BY created_at DESC, run_id DESC LIMIT %(look)s
) looked WHERE words @@ foldback_asked(%(text)s) ORDER BY created_at DESC, run_id DESC LIMIT %(limit)s
"""
# ANALYZE keeps the words that most runs have, and in which share of them it saw each. Of several words at least as
# many runs have all as are left where each word's lack falls on runs of its own.
_AT_LEAST = """
WITH known AS MATERIALIZED (
  SELECT unnest(most_common_elems::text::text[]) AS word, unnest(most_common_elem_freqs) AS share FROM pg_stats
  WHERE schemaname = current_schema() AND tablename = 'generation_runtext' AND attname = 'words'
), asked AS (
  SELECT asked.word, coalesce(max(share), 0) AS share
  FROM unnest(tsvector_to_array(to_tsvector('simple', foldback_folded(%s)))) AS asked (word)
  LEFT JOIN known ON known.word = asked.word OR length(asked.word) >= 3 AND starts_with(known.word, asked.word)
  GROUP BY asked.word
)
SELECT (SELECT 1 - sum(1 - share) FROM asked) * greatest(reltuples, 0) FROM pg_class
WHERE oid = 'generation_runtext'::regclass
"""


def install(first: Path) -> migrations.RunSQL:
    """The migration operation that brought functions and trigger, and read what was there already."""
    return migrations.RunSQL(first.read_text(), REMOVE)


def replaced(before: Path) -> migrations.RunSQL:
    """The migration operation that puts today's functions in the place of those `before`."""
    return migrations.RunSQL(SQL.read_text(), before.read_text())


def keep(run_ids: Sequence[UUID]) -> None:
    """The words of these runs, where they are not kept yet. Their drafts bring theirs by themselves."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [list(run_ids)])


def renew(run_id: UUID) -> None:
    """The words of this run by the draft that stands, where that is not the newest."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP.replace("DO NOTHING", "(run_id) DO UPDATE SET words = excluded.words"), [[run_id]])


class _Asked(SearchQuery):
    SEARCH_TYPES = {"plain": "foldback_asked"}


def found(text: str) -> "QuerySet[RunText]":
    """Texts that have every word of `text`; words of three letters and more also as the beginning of one."""
    return RunText.objects.filter(words=_Asked(text[:LONGEST_TEXT]))


def following(text: str, key: tuple[Any, ...], *, look: int, limit: int) -> list[Key]:
    """The next `limit` texts behind `key`, newest first, of the next `look` that have these words."""
    at, run = key or ("infinity", UUID(int=2**128 - 1))
    wanted = {"text": text[:LONGEST_TEXT], "at": at, "run": run, "look": look, "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, wanted)
        keys: list[Key] = cursor.fetchall()
        return keys


def end(key: tuple[Any, ...], look: int) -> Key | None:
    """The last of the next `look` texts behind `key`; None where there are fewer."""
    texts = RunText.objects.order_by(*NEWEST)
    texts = texts.filter(behind(NEWEST, key)) if key else texts
    return texts.values_list("created_at", "run_id")[look - 1 : look].first()


def at_least(text: str) -> int:
    """How many runs have these words, told from the database's statistics: too few rather than too many, and 0 for
    words that the statistics do not know."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_LEAST, [text[:LONGEST_TEXT]])
        return max(0, int(cursor.fetchone()[0] or 0))
