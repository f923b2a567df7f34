"""Batches at the provider: what was handed over, under which name, and whether it has ended. Read only."""

from django.contrib import admin

from generation.admin.base import Admin, NeverWritten
from generation.models import Submission


@admin.register(Submission)
class SubmissionAdmin(NeverWritten, Admin[Submission]):
    fields = ["provider", "name", "state", "requests", "cancelled", "created_at", "ended_at"]
    list_display = ["__str__", "state", "requests", "created_at", "ended_at", "provider"]
    list_filter = ["state"]
    search_fields = ["name"]
