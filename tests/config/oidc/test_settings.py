"""What switching it on adds, and nothing else: two addresses, no page of allauth, no unclean setting."""

from tests.config.oidc.installation import Browser, Web
from tests.config.test_every_url import ROUTES

LIST_ROUTES = "from tests.config.test_every_url import ROUTES; print(*ROUTES)"


def test_two_addresses_come_and_no_page_of_allauth(web: Web) -> None:
    on = set(web.manage("shell", "--no-imports", "-c", LIST_ROUTES).stdout.split())
    assert on - set(" ".join(ROUTES).split()) == {"login/oidc/", "login/oidc/callback/"}


def test_they_answer_to_get_alone(web: Web, guest: Browser) -> None:
    for path in ("login/oidc/", "login/oidc/callback/"):
        assert guest.head(f"{web.url}/{path}").status_code == 405
        assert guest.post(f"{web.url}/{path}").status_code in (403, 405)


def test_the_deployment_check_finds_nothing(web: Web) -> None:
    production = {
        "SECRET_KEY": "k3y-" + "abcdefghij" * 6,
        "ALLOWED_HOSTS": "foldback.example.org",
        "FOLDBACK_HTTPS": "1",
        "CELERY_BROKER_URL": "redis://broker.example.org:6379/0",
        "FOLDBACK_OIDC_ISSUER": "https://login.example.org",
    }
    before = dict(web.environment)
    web.environment |= production
    try:
        done = web.manage("check", "--deploy", "--fail-level=WARNING")
    finally:
        web.environment = before
    assert done.stderr == ""


def test_its_tables_are_those_of_its_own_migrations(web: Web) -> None:
    assert web.manage("makemigrations", "--check", "--dry-run").stdout == "No changes detected\n"


def test_the_policy_of_the_sign_in_page_is_no_wider(web: Web, guest: Browser) -> None:
    policy = guest.get(f"{web.url}/login/").headers["Content-Security-Policy"]
    assert "form-action 'self';" in f"{policy};" and "unsafe" not in policy and "http" not in policy
