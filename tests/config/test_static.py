"""Style sheets are kept by browsers for good, and asked for anew as soon as they say something else."""

import re

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def sheet(client: Client) -> str:
    found = re.search(r'href="(/static/css/tokens\.css\?v=\w{12})"', client.get("/login/").content.decode())
    assert found
    return found[1]


def test_a_sheet_of_this_version_is_kept_for_good(client: Client) -> None:
    answer = client.get(sheet(client))
    assert answer.status_code == 200 and "immutable" in answer["Cache-Control"]


@pytest.mark.parametrize("query", ["", "?v=", "?v=0123456789ab"])
def test_what_another_version_named_is_not(client: Client, query: str) -> None:
    """As after an upgrade, or where two versions answer side by side."""
    answer = client.get(sheet(client).split("?")[0] + query)
    assert answer.status_code == 200 and "immutable" not in answer["Cache-Control"]


@pytest.mark.parametrize("path", ["/static/css/none.css?v=", "/static/../manage.css?v="])
def test_what_is_not_there_is_not_kept(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code != 200 and "immutable" not in answer.get("Cache-Control", "")


def test_scripts_have_one_address(client: Client) -> None:
    """A module under two addresses would run twice."""
    assert ".js?" not in client.get("/login/").content.decode()
