"""What is still to be counted, and up to when all is."""

from django.db import models


class Due(models.Model):
    """A run whose facts are to be counted anew. Triggers of the database write them (learning/facts.sql)."""

    run_id = models.UUIDField()  # a value: a key would be checked at every call


class AsOf(models.Model):
    """The one row: all that was written before `at` is counted."""

    at = models.DateTimeField()
