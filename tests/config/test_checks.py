"""System checks: each wrong setting has its id."""

from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from config.checks import check_settings

GOOD_KEY = "k3y-" + "abcdefghij" * 6
OIDC = {"OIDC": True, "FOLDBACK_OIDC_ISSUER": "https://login.example.org", "FOLDBACK_OIDC_CLIENT_ID": "foldback"}


@pytest.mark.parametrize(
    ("changed", "ids"),
    [
        ({}, []),
        ({"FOLDBACK_PROVIDER": "oracle"}, ["foldback.E002"]),
        ({"FOLDBACK_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": ""}, ["foldback.E003"]),
        ({"FOLDBACK_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "x"}, []),
        ({"FOLDBACK_HOLDOUT": 0.0}, []),
        ({"FOLDBACK_HOLDOUT": 1.0}, []),
        ({"FOLDBACK_HOLDOUT": 1.01}, ["foldback.E004"]),
        ({"FOLDBACK_HOLDOUT": -0.01}, ["foldback.E004"]),
        ({"FOLDBACK_HOLDOUT": float("nan")}, ["foldback.E004"]),
        ({"FOLDBACK_BLIND_REVIEW": 0.0}, []),
        ({"FOLDBACK_BLIND_REVIEW": 1.0}, []),
        ({"FOLDBACK_BLIND_REVIEW": 1.01}, ["foldback.E043"]),
        ({"FOLDBACK_BLIND_REVIEW": float("nan")}, ["foldback.E043"]),
        ({"FOLDBACK_POLICY": "steady", "FOLDBACK_HOLDOUT": 0.1}, []),
        ({"FOLDBACK_POLICY": "steady", "FOLDBACK_HOLDOUT": 0.0}, ["foldback.W044"]),
        ({"FOLDBACK_POLICY": "guess"}, ["foldback.E044"]),
        ({"FOLDBACK_REVIEW_SAMPLE": 1.0}, []),
        ({"FOLDBACK_REVIEW_SAMPLE": 1.01}, ["foldback.E041"]),
        ({"FOLDBACK_REVIEW_SAMPLE": float("nan")}, ["foldback.E041"]),
        ({"FOLDBACK_ASSIGNMENT_HOURS": 0.0}, ["foldback.E042"]),
        ({"FOLDBACK_ASSIGNMENT_HOURS": float("inf")}, ["foldback.E042"]),
        ({"FOLDBACK_URL": "foldback.example.org"}, ["foldback.E051"]),
        ({"FOLDBACK_URL": "https://foldback.example.org/below"}, []),
        ({"FOLDBACK_WEBHOOK_PRIVATE_TARGETS": ["10.0.0.0/8", "::1"]}, []),
        ({"FOLDBACK_WEBHOOK_PRIVATE_TARGETS": ["10.0.0.0/8", "intranet"]}, ["foldback.E052"]),
        ({"FOLDBACK_KEEP_WEBHOOKS_DAYS": -1}, ["foldback.E053"]),
        ({"FOLDBACK_KEEP_IDEMPOTENCY_HOURS": 0}, ["foldback.E054"]),
        ({"FOLDBACK_KEEP_EXPORTS_DAYS": 0}, ["foldback.E055"]),
        ({"PROMPT_RESOLVER": "no.such.thing"}, ["foldback.E005"]),
        ({"PROMPT_RESOLVER": ""}, []),
        ({"FOLDBACK_CONCURRENCY": 0}, ["foldback.E006"]),
        ({"FOLDBACK_SPEND_CAP_USD": Decimal(-1)}, ["foldback.E007"]),
        ({"FOLDBACK_KEEP_CALLS_DAYS": -1}, ["foldback.E010"]),
        ({"FOLDBACK_AGENT_COMMAND": "my-agent"}, ["foldback.E008"]),
        ({"FOLDBACK_AGENT_COMMAND": ["my-agent", 1]}, ["foldback.E008"]),
        ({"FOLDBACK_OIDC_ISSUER": "https://login.example.org"}, ["foldback.E011"]),
        ({"FOLDBACK_OIDC_CLIENT_SECRET": "x"}, ["foldback.E011"]),
        (OIDC, []),
        ({**OIDC, "FOLDBACK_OIDC_ISSUER": "http://127.0.0.1:8080"}, []),
        ({**OIDC, "FOLDBACK_OIDC_ISSUER": "http://login.example.org"}, ["foldback.E012"]),
        ({**OIDC, "FOLDBACK_OIDC_ISSUER": "login.example.org"}, ["foldback.E012"]),
        ({**OIDC, "FOLDBACK_OIDC_ISSUER": "https://" + "a" * 200}, ["foldback.E012"]),
        ({**OIDC, "FOLDBACK_OIDC_GROUPS": {"team": "reviewer", "it": "admin"}}, []),
        ({**OIDC, "FOLDBACK_OIDC_GROUPS": {"team": "boss"}}, ["foldback.E013"]),
        ({**OIDC, "FOLDBACK_OIDC_GROUPS": {"team": ["reviewer"]}}, ["foldback.E013"]),
        ({**OIDC, "FOLDBACK_OIDC_GROUPS": ["reviewer"]}, ["foldback.E013"]),
        ({**OIDC, "FOLDBACK_OIDC_SCOPES": ["profile"]}, ["foldback.E014"]),
        ({"FOLDBACK_FLOWS": {"twin": "tests.twin.FLOW"}}, []),
        ({"FOLDBACK_FLOWS": {"other": "tests.twin.FLOW"}}, ["foldback.E015"]),
        ({"FOLDBACK_FLOWS": {"twin": "tests.twin.installed", "x": "no.such"}}, ["foldback.E015"] * 2),
        ({"FOLDBACK_FLOWS": {"odd": "tests.twin.ODD", "lost": "tests.twin.LOST"}}, ["foldback.E015"] * 2),
        ({"FOLDBACK_PROVIDER": "command"}, ["foldback.E035"]),
        ({"FOLDBACK_PROVIDER": "command", "FOLDBACK_AGENT_COMMAND": ["my-agent"]}, []),
        ({"FOLDBACK_AGENT_SECONDS": 0}, ["foldback.E031"]),
        ({"FOLDBACK_AGENT_ENVIRONMENT": "KEY"}, ["foldback.E032"]),
        ({"FOLDBACK_AGENT_PATHS": [1]}, ["foldback.E032"]),
        ({"FOLDBACK_AGENT_ENVIRONMENT": ["MY_KEY", "DATABASE_URL"]}, ["foldback.E033"]),
        ({"FOLDBACK_DEVELOPER_PROMPT": "/no/such/file"}, ["foldback.E034"]),
        ({"FOLDBACK_REVIEWER_PROMPT": "/no/such/file"}, ["foldback.E034"]),
        ({"FOLDBACK_REVIEWER_PROMPT": __file__}, []),
        ({"TRACES": True, "TRACES_EXPORTER": "otlp", "OTLP_ENDPOINT": "https://collector:4318"}, []),
        ({"TRACES_EXPORTER": "zipkin"}, ["foldback.W061"]),
        ({"TRACES": True, "OTLP_PROTOCOL": "grpc"}, ["foldback.W062"]),
        ({"TRACES": True, "OTLP_ENDPOINT": "collector:4317"}, ["foldback.W063"]),
        ({"SECRET_KEY": "short"}, ["foldback.E009"]),
        ({"SECRET_KEY": "a" * 60}, ["foldback.E009"]),
        ({"SECRET_KEY": "short", "DEBUG": True}, []),
        ({"SECRET_KEY": "short", "EMBEDDED_DATABASE": True}, []),
    ],
)
def test_each_wrong_setting_has_its_id(
    changed: dict[str, Any], ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", GOOD_KEY)
    right = {"SECRET_KEY": GOOD_KEY, "EMBEDDED_DATABASE": False, "EMBEDDED_BROKER": True, "DEBUG": False}
    with override_settings(**{**right, **changed}):
        found = check_settings(None)
    assert [message.id for message in found] == ids
    assert all(message.hint for message in found)


def test_a_kernel_that_cannot_confine_agents_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", GOOD_KEY)
    monkeypatch.setattr("config.checks.landlock_abi", lambda: 0)
    with override_settings(SECRET_KEY=GOOD_KEY, FOLDBACK_AGENT_COMMAND=["my-agent"]):
        assert [message.id for message in check_settings(None)] == ["foldback.W031"]
    with override_settings(SECRET_KEY=GOOD_KEY, FOLDBACK_AGENT_COMMAND=[]):
        assert check_settings(None) == []


def test_a_key_that_each_machine_makes_for_itself_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    with override_settings(SECRET_KEY=GOOD_KEY, EMBEDDED_DATABASE=False, DEBUG=False):
        assert [message.id for message in check_settings(None)] == ["foldback.W002"]


def test_database_options_that_the_broker_would_lose_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", GOOD_KEY)
    monkeypatch.setitem(settings.DATABASES["default"]["OPTIONS"], "sslmode", "verify-full")
    with override_settings(SECRET_KEY=GOOD_KEY, EMBEDDED_BROKER=True):
        assert [message.id for message in check_settings(None)] == ["foldback.W001"]
    with override_settings(SECRET_KEY=GOOD_KEY, EMBEDDED_BROKER=False):
        assert check_settings(None) == []
