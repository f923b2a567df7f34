"""Keys: making them, and what a request with one may do."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.test import RequestFactory
from django.utils import timezone
from ninja.errors import AuthenticationError, AuthorizationError, Throttled
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from generation.access import ApiKeyAuth, make_key
from generation.errors import BadInput
from generation.models import ApiKey
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def use(secret: str, scope: str = "read") -> ApiKey | None:
    request = RequestFactory().get("/", headers={"Authorization": f"Bearer {secret}"})
    found: ApiKey | None = ApiKeyAuth(scope)(request)
    return found


def test_only_the_hash_is_stored() -> None:
    key, secret = make_key("ci")
    key.refresh_from_db()
    assert secret not in str(vars(key))
    assert use(secret) == key
    assert key.scopes == ["read", "write", "review"]


@pytest.mark.parametrize("scopes", [["read", "root"], []])
def test_scopes_that_there_are_not(scopes: list[str]) -> None:
    with pytest.raises(BadInput):
        make_key("ci", scopes=scopes)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"revoked_at": timezone.now()}, "revoked"),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "expired"),
        ({"hash": "0" * 64}, "no such key"),
    ],
)
def test_a_key_that_does_not_hold(change: dict[str, object], says: str) -> None:
    key, secret = make_key("ci")
    ApiKey.objects.filter(pk=key.pk).update(**change)
    with pytest.raises(AuthenticationError, match=says):
        use(secret)


def test_a_key_that_expires_later_holds() -> None:
    key, secret = make_key("ci")
    ApiKey.objects.filter(pk=key.pk).update(expires_at=timezone.now() + timedelta(minutes=1))
    assert use(secret) == key


def test_the_key_of_a_deactivated_person_does_not_hold() -> None:
    person = UserFactory()
    _key, secret = make_key("hers", user=person)
    assert use(secret)
    person.is_active = False
    person.save()
    with pytest.raises(AuthenticationError, match="no longer active"):
        use(secret)


def test_a_scope_too_small_is_named() -> None:
    _key, secret = make_key("ci", scopes=["read"])
    with pytest.raises(AuthorizationError, match="“write”"):
        use(secret, "write")


def test_last_used_is_written_once_a_minute(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    key, secret = make_key("ci")
    use(secret)
    key.refresh_from_db()
    first = key.last_used_at
    assert first
    with django_assert_num_queries(2):  # the key, the count
        use(secret)
    ApiKey.objects.update(last_used_at=first - timedelta(seconds=61))
    use(secret)
    key.refresh_from_db()
    assert key.last_used_at
    assert key.last_used_at >= first


@pytest.mark.parametrize("off", [-1, 1], ids=["behind", "ahead"])
def test_last_used_is_database_time_whatever_the_process_thinks(
    django_assert_num_queries: DjangoAssertNumQueries, off: int
) -> None:
    key, secret = make_key("ci")
    with time_machine.travel(timezone.now() + timedelta(hours=off), tick=True):
        use(secret)
        with django_assert_num_queries(2):
            use(secret)
        ApiKey.objects.update(last_used_at=Now() - timedelta(seconds=61))
        use(secret)
    key.refresh_from_db()
    assert key.last_used_at
    assert abs(key.last_used_at - timezone.now()) < timedelta(seconds=30)


def test_the_limit_is_per_key_and_minute(settings: Settings) -> None:
    settings.API_CALLS_PER_MINUTE = 2
    key, secret = make_key("busy")
    use(secret)
    use(secret)
    with pytest.raises(Throttled) as refusal:
        use(secret)
    assert 1 <= (refusal.value.wait or 0) <= 60
    assert use(make_key("other")[1])
    key.use.minute -= timedelta(minutes=1)
    key.use.save()
    assert use(secret)


def test_no_limit(settings: Settings, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    settings.API_CALLS_PER_MINUTE = 0
    _key, secret = make_key("busy")
    use(secret)
    with django_assert_num_queries(1):
        use(secret)


def test_the_command_prints_the_key_alone(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_api_key", "ci")
    secret = capsys.readouterr().out.removesuffix("\n")
    key = use(secret)
    assert key
    assert (key.name, key.user, key.scopes) == ("ci", None, ["read", "write", "review"])


def test_an_unknown_person_becomes_a_reviewer_without_a_password(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_api_key", "hers", "--user", "ada")
    printed = capsys.readouterr()
    assert len(printed.out.split()) == 1
    assert "reviewer" in printed.err
    ada = User.objects.get(username="ada")
    assert not ada.has_usable_password()
    assert not ada.is_staff
    assert [group.name for group in ada.groups.all()] == ["reviewer"]
    assert ApiKey.objects.get().user == ada


def test_scope_admin_makes_an_admin(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_api_key", "boss", "--user", "ada", "--scopes", "read, admin")
    assert User.objects.get(username="ada").is_staff
    assert ApiKey.objects.get().scopes == ["read", "admin"]


@pytest.mark.parametrize(("name", "says"), [("a b", "valid username"), ("a" * 151, "at most 150 characters")])
def test_a_new_person_needs_a_name_that_can_sign_in(name: str, says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("create_api_key", "x", "--user", name)
    assert not User.objects.exists()


@pytest.mark.parametrize("arguments", [["x", "--scopes", "all"], ["x", "--scopes", ""], [" "], ["x" * 101]])
def test_a_refused_command_leaves_nothing(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("create_api_key", *arguments, "--user", "ada")
    assert not ApiKey.objects.exists()
    assert not User.objects.exists()
