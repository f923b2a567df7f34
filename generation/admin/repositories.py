"""The repositories in which agents may work: here they are registered."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext as _

from generation.admin.base import Admin
from generation.models import Repository
from generation.providers.command.git import GitError
from generation.providers.command.worktree import Origin, commit_of


class RepositoryForm(forms.ModelForm):  # type: ignore[type-arg]
    def clean(self) -> dict[str, Any]:
        """Refused where there is no repository with a commit to begin at."""
        given = super().clean() or {}
        path, branch = given.get("path", ""), given.get("branch", "")
        if path.startswith("/") and not branch.startswith("-"):  # what else is wrong with them the model says
            try:
                commit_of(Origin(path, branch))
            except GitError as refusal:
                self.add_error("path", _("git finds no commit to begin at: %s") % refusal)
        return given


@admin.register(Repository)
class RepositoryAdmin(Admin[Repository]):
    form = RepositoryForm
    fields = ["name", "path", "branch"]
    list_display = ["name", "path", "branch", "created_at"]
    search_fields = ["name", "path"]
