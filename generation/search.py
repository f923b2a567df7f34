"""Full-text search over runs: which words they have, and which runs have the words that are asked for."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import connection, migrations
from django.db.models import QuerySet

from generation.models import RunText

LONGEST_TEXT = 200  # characters of what is asked for
SQL = Path(__file__).with_suffix(".sql")
REMOVE = """
DROP TRIGGER generation_draft_words ON generation_draft;
DROP FUNCTION foldback_draft_words(), foldback_asked(text), foldback_words(text, text, jsonb, jsonb),
  foldback_texts(jsonb), foldback_folded(text);
"""
_KEEP = """
INSERT INTO generation_runtext (run_id, words)
SELECT r.id, foldback_words(r.title, r.external_id, r.source, d.content)
FROM generation_run r LEFT JOIN generation_draft d ON d.run_id = r.id AND d.revision = r.revision
WHERE r.id = ANY(%s) ON CONFLICT DO NOTHING
"""


def install() -> migrations.RunSQL:
    """The migration operation that brings functions and trigger, and reads what is there already."""
    return migrations.RunSQL(SQL.read_text(), REMOVE)


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
