"""The groups: reviewers review and nothing else."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from review import groups
from review.people import reviewer_named, username_of

pytestmark = pytest.mark.django_db


def member(of: str) -> User:
    user = User.objects.create_user(of)
    user.groups.add(Group.objects.get(name=of))
    return user


def test_each_group_has_its_permissions_and_no_other() -> None:
    groups.seed()
    assert member("reviewer").get_all_permissions() == set(groups.PERMISSIONS["reviewer"])
    assert member("adjudicator").get_all_permissions() == set(groups.PERMISSIONS["adjudicator"])
    assert not any("adjudicate" in name or "leave_out" in name for name in groups.PERMISSIONS["reviewer"])


def test_seeding_again_mends_and_doubles_nothing() -> None:
    groups.seed()
    reviewer = Group.objects.get(name="reviewer")
    reviewer.permissions.add(Permission.objects.get(codename="delete_run"))
    groups.seed()
    assert Group.objects.count() == 2
    assert reviewer.permissions.count() == len(groups.PERMISSIONS["reviewer"])


def test_a_missing_permission_is_told() -> None:
    Permission.objects.filter(codename="adjudicate_run").delete()
    with pytest.raises(LookupError, match="migrate"):
        groups.seed()


@pytest.mark.parametrize(
    ("name", "username"),
    [
        ("mia", "mia"),
        ("Mia Koch", "Mia.Koch"),
        ("  Jörg  Müller-Lüdenscheidt ", "Jörg.Müller-Lüdenscheidt"),
        ("a\x00b", "a.b"),
        ("mia@example.org", "mia@example.org"),
        (" / ", ""),
        ("x" * 200, "x" * 150),
    ],
)
def test_user_names_of_people(name: str, username: str) -> None:
    assert username_of(name) == username
    if username:
        assert reviewer_named(name) == reviewer_named(name) == User.objects.get(username=username)
