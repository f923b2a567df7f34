"""Fixtures that every test may use."""

import asyncio
from collections.abc import Generator, Iterator

import pytest
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import override_settings
from hypothesis import HealthCheck
from hypothesis import settings as exploring

LIVE = frozenset({"browser", "production"})
# No property fails for a slow machine, and one commit explores the same texts everywhere.
# `--hypothesis-profile=default` explores others.
exploring.register_profile(
    "same everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
exploring.load_profile("same everywhere")


@pytest.fixture(scope="session", autouse=True)
def _flush_may_truncate() -> Iterator[None]:
    """Tests with real transactions flush their tables: the one place that lifts the append-only triggers.

    Only a superuser may set this; the application's own role is none. Where a browser's last request is
    still under way and the two wait for each other, the request gives way: whoever looks for deadlocks first does.
    """
    flush = DatabaseOperations.sql_flush
    before = ["SET session_replication_role = replica", "SET deadlock_timeout = '1min'"]
    after = ["RESET deadlock_timeout", "RESET session_replication_role"]

    def lifted(self: DatabaseOperations, *args: object, **kwargs: object) -> list[str]:
        return [*before, *flush(self, *args, **kwargs), *after]  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", lifted)
        yield


@pytest.fixture(scope="session", autouse=True)
def _passwords_are_cheap() -> Iterator[None]:
    """The real one takes a third of a second of each test that has a person with a password."""
    quick, real = (f"django.contrib.auth.hashers.{name}PasswordHasher" for name in ("MD5", "PBKDF2"))
    with override_settings(PASSWORD_HASHERS=[quick, real]):
        yield


@pytest.fixture(autouse=True)
def _no_loop_is_running(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright's loop counts as running from the first browser test to the last: not for the tests between.

    Before their transaction begins: with a loop that runs, Django has other connections than without.
    """
    loop = asyncio._get_running_loop()
    if "playwright" in request.fixturenames or loop is None:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test against a live server is tried twice: a machine that is busy may be late once.

    The second try is counted in the last line as "rerun"; all other tests have one.
    """
    for item in items:
        _set_up_first(item, _no_loop_is_running.__name__)
        if "live_server" in getattr(item, "fixturenames", ()) or LIVE.intersection(item.path.parts):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _set_up_first(item: pytest.Item, fixture: str) -> None:
    names: list[str] = getattr(item, "fixturenames", [])
    if fixture in names:
        names.remove(fixture)
        names.insert(0, fixture)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test printed of half a surrogate pair can be sent from a worker of the test run to its parent."""
    report = yield
    report.sections = [(name, _sendable(text)) for name, text in report.sections]
    if report.longrepr is not None and _sendable(str(report.longrepr)) != str(report.longrepr):
        report.longrepr = _sendable(str(report.longrepr))
    return report


def _sendable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
