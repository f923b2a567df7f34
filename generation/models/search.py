"""RunText: the words of a run's source and of its newest record, for searching."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from generation.models.run import Run


class RunText(models.Model):
    """Written by `generation.search` for new runs, and by a trigger of the database with every draft.

    A table of its own: a run's row is written anew with every change of its status, and its words are not. When
    the run was made stands here, too, so that what is found is put in order without reading the runs.
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="text")
    created_at = models.DateTimeField()
    words = SearchVectorField()

    class Meta:
        # Few pages of words that wait for their place in the index: every search reads all of them.
        indexes = [
            GinIndex(fields=["words"], name="runtext_words", gin_pending_list_limit=256),
            models.Index(fields=["-created_at", "-run"], name="runtext_newest"),
        ]

    def __str__(self) -> str:
        return str(self.run_id)
