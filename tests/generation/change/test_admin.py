"""Registering a repository: by admins alone, and only one with a commit to begin at."""

from pathlib import Path

import pytest

from generation.models import Repository
from tests import people
from tests.generation.change.repositories import git, repository

pytestmark = pytest.mark.django_db
URL = "/admin/generation/repository/add/"


def test_a_repository_is_registered(tmp_path: Path) -> None:
    path = repository(tmp_path / "shop")
    response = people.admin().post(URL, {"name": "shop", "path": str(path), "branch": "main"})
    assert response.status_code == 302
    assert Repository.objects.get().path == str(path)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"path": "relative"}, "A path from the root on"),
        ({"path": "/no/such/folder"}, "there is no /no/such/folder"),
        ({"path": "/"}, "not a git repository"),
        ({"branch": "no-such"}, "git finds no commit"),
        ({"branch": "--help"}, "No branch begins with a dash"),
        ({"name": "a name\n"}, "Letters, digits"),
        ({"name": "../up"}, "Letters, digits"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, fields: dict[str, str], says: str) -> None:
    given = {"name": "shop", "path": str(repository(tmp_path / "shop")), "branch": ""}
    response = people.admin().post(URL, given | fields)
    assert says in response.content.decode() and not Repository.objects.exists()


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "--quiet")
    response = people.admin().post(URL, {"name": "new", "path": str(tmp_path / "new")})
    assert "git finds no commit" in response.content.decode()


def test_reviewers_register_none(tmp_path: Path) -> None:
    response = people.reviewer().post(URL, {"name": "shop", "path": str(repository(tmp_path / "shop"))})
    assert response.status_code in (302, 403) and not Repository.objects.exists()
