"""The provider, the web process that trusts it, and a browser for each test."""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import browser_context_args, browser_type_launch_args
from tests.config.oidc.far_end import MIA, FarEnd
from tests.config.oidc.installation import Browser, Web

__all__ = ["browser_context_args", "browser_type_launch_args"]


@pytest.fixture(scope="package")
def _far_end() -> Iterator[FarEnd]:
    made = FarEnd()
    yield made
    made.stop()


@pytest.fixture(scope="package")
def _web(_far_end: FarEnd, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    made = Web(tmp_path_factory.mktemp("oidc"), _far_end.issuer)
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def far_end(_far_end: FarEnd) -> Iterator[FarEnd]:
    _far_end.fault, _far_end.person, _far_end.in_userinfo, _far_end.asked = "", dict(MIA), {}, []
    yield _far_end
    if _far_end.server is None:
        _far_end.start()


@pytest.fixture
def web(_web: Web, far_end: FarEnd) -> Web:
    _web.forget()
    return _web


@pytest.fixture
def guest(web: Web) -> Browser:
    return Browser(web)
