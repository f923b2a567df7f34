"""System checks: a wrong setting is told at start-up, with what to do, and without a secret value."""

import os
from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.utils.module_loading import import_string

from config.flow_problems import doubts, problems
from generation.providers import PROVIDERS
from generation.providers.command.allowed import OURS
from generation.providers.command.jail import landlock_abi
from learning.policies import POLICIES, STEADY
from review.groups import ADJUDICATOR, REVIEWER

SHORTEST_KEY, FEWEST_CHARACTERS = 50, 5
LONGEST_ASSIGNMENT = 366 * 24  # hours
LOOPBACK, LONGEST_ISSUER = ("localhost", "127.0.0.1", "::1"), 200


@register(Tags.security)
def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    found = [*environment(), *provider(), *flows(), *learning(), *work(), *queue()]
    return [*found, *secret(), *broker(), *elsewhere(), *webhooks(), *traces()]


def environment() -> list[CheckMessage]:
    """Variables that could not be read; their defaults stand meanwhile."""
    return [
        Error(f"{name} cannot be read: {problem}.", hint=".env.example shows the form.", id="foldback.E001")
        for name, problem in settings.ENVIRONMENT_PROBLEMS.items()
    ]


def provider() -> list[CheckMessage]:
    name = settings.FOLDBACK_PROVIDER
    if name not in PROVIDERS:
        hint = f"Set FOLDBACK_PROVIDER to one of: {', '.join(PROVIDERS)}."
        return [Error(f"There is no provider {name!r}.", hint=hint, id="foldback.E002")]
    if name == "anthropic" and not settings.ANTHROPIC_API_KEY:
        hint = "Set ANTHROPIC_API_KEY, or FOLDBACK_PROVIDER=demo."
        return [Error("The provider anthropic has no key.", hint=hint, id="foldback.E003")]
    if name == "command" and not settings.FOLDBACK_AGENT_COMMAND:
        hint = 'Set FOLDBACK_AGENT_COMMAND, for example to ["my-agent", "--quiet"].'
        return [Error("The provider command has no program.", hint=hint, id="foldback.E035")]
    return []


def flows() -> list[CheckMessage]:
    """Those from elsewhere: what keeps one from working, and what in one is hardly meant."""
    found: list[CheckMessage] = []
    for name, path in settings.FOLDBACK_FLOWS.items():
        here = f"FOLDBACK_FLOWS, {name}={path}"
        if wrong := problems(name, path):
            hint = "docs/add-a-flow.md shows one."
            found.append(Error(f"{here}: {_listed(wrong)}.", hint=hint, id="foldback.E015"))
        elif odd := list(doubts(import_string(path))):
            hint = "It runs all the same; docs/add-a-flow.md says what each part is for."
            found.append(Warning(f"{here}: {_listed(odd)}.", hint=hint, id="foldback.W015"))
    return found


def _listed(said: list[str]) -> str:
    return said[0] if len(said) == 1 else "\n\t- " + "\n\t- ".join(said)


def learning() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if not 0 <= settings.FOLDBACK_HOLDOUT <= 1:
        hint = "0.1 leaves one run in ten without learned guidance, the default; 0 leaves none."
        found.append(Error("FOLDBACK_HOLDOUT is no share between 0 and 1.", hint=hint, id="foldback.E004"))
    if not 0 <= settings.FOLDBACK_BLIND_REVIEW <= 1:
        hint = "0.1 has one judged run in ten reviewed without knowing the judge, the default; 0 none."
        found.append(Error("FOLDBACK_BLIND_REVIEW is no share between 0 and 1.", hint=hint, id="foldback.E043"))
    if settings.FOLDBACK_POLICY not in POLICIES:
        hint = f"One of {', '.join(POLICIES)}; docs/study.md compares them."
        found.append(
            Error(f"FOLDBACK_POLICY {settings.FOLDBACK_POLICY!r} is unknown.", hint=hint, id="foldback.E044")
        )
    elif settings.FOLDBACK_POLICY == STEADY and settings.FOLDBACK_HOLDOUT == 0:
        hint = "FOLDBACK_HOLDOUT=0.1 leaves one run in ten without guidance, and those say when to let go."
        problem = "FOLDBACK_POLICY is steady without a holdout: a trigger that comes on stays on."
        found.append(Warning(problem, hint=hint, id="foldback.W044"))
    try:
        if settings.PROMPT_RESOLVER:
            import_string(settings.PROMPT_RESOLVER)
    except ImportError as error:
        hint = "PROMPT_RESOLVER is a dotted path to a callable; empty switches learning off."
        found.append(Error(f"PROMPT_RESOLVER cannot be imported: {error}.", hint=hint, id="foldback.E005"))
    return found


def queue() -> list[CheckMessage]:
    """Which runs people see first, and for how long one may be kept for somebody."""
    found: list[CheckMessage] = []
    if not 0 <= settings.FOLDBACK_REVIEW_SAMPLE <= 1:
        hint = "0.1 brings one in ten of what the judge passed early; 0 none."
        found.append(Error("FOLDBACK_REVIEW_SAMPLE is no share between 0 and 1.", hint=hint, id="foldback.E041"))
    if not 0 < settings.FOLDBACK_ASSIGNMENT_HOURS <= LONGEST_ASSIGNMENT:
        hint = "Hours until an assigned run is offered to everybody again; 24 is the default, a year the most."
        found.append(Error("FOLDBACK_ASSIGNMENT_HOURS is no length.", hint=hint, id="foldback.E042"))
    return found


def work() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.FOLDBACK_CONCURRENCY < 1:
        hint = "How many runs a worker makes at once; 8 is the default."
        found.append(Error("FOLDBACK_CONCURRENCY is below 1.", hint=hint, id="foldback.E006"))
    if settings.FOLDBACK_SPEND_CAP_USD < 0:
        hint = "US dollars per day; 0 is no cap."
        found.append(Error("FOLDBACK_SPEND_CAP_USD is below 0.", hint=hint, id="foldback.E007"))
    if settings.FOLDBACK_KEEP_CALLS_DAYS < 0:
        hint = "Days after which the texts of calls are blanked; 0 keeps them for ever."
        found.append(Error("FOLDBACK_KEEP_CALLS_DAYS is below 0.", hint=hint, id="foldback.E010"))
    if settings.FOLDBACK_KEEP_IDEMPOTENCY_HOURS < 1:
        hint = "Hours for which the same Idempotency-Key gives the same answer; 24 is the default."
        found.append(Error("FOLDBACK_KEEP_IDEMPOTENCY_HOURS is below 1.", hint=hint, id="foldback.E054"))
    if settings.FOLDBACK_KEEP_EXPORTS_DAYS < 1:
        hint = "Days after which the files of exports are deleted; 7 is the default."
        found.append(Error("FOLDBACK_KEEP_EXPORTS_DAYS is below 1.", hint=hint, id="foldback.E055"))
    command = settings.FOLDBACK_AGENT_COMMAND
    if not isinstance(command, list) or not all(isinstance(part, str) for part in command):
        hint = 'For example FOLDBACK_AGENT_COMMAND=["my-agent", "--quiet"].'
        found.append(Error("FOLDBACK_AGENT_COMMAND is no JSON list of texts.", hint=hint, id="foldback.E008"))
    return found + agents()


def agents() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.FOLDBACK_AGENT_SECONDS < 1:
        hint = "Seconds after which an agent is ended; 1800 is the default."
        found.append(Error("FOLDBACK_AGENT_SECONDS is below 1.", hint=hint, id="foldback.E031"))
    for name in ("FOLDBACK_AGENT_ENVIRONMENT", "FOLDBACK_AGENT_PATHS"):
        listed = getattr(settings, name)
        if not isinstance(listed, list) or not all(isinstance(part, str) for part in listed):
            hint = f'For example {name}=["…", "…"].'
            found.append(Error(f"{name} is no JSON list of texts.", hint=hint, id="foldback.E032"))
    if isinstance(settings.FOLDBACK_AGENT_ENVIRONMENT, list):
        for name in sorted({*OURS} & {*map(str, settings.FOLDBACK_AGENT_ENVIRONMENT)}):
            hint = "With it an agent could do whatever the application can; it is not handed on."
            found.append(Error(f"FOLDBACK_AGENT_ENVIRONMENT names {name}.", hint=hint, id="foldback.E033"))
    for role in ("DEVELOPER", "REVIEWER"):
        path = getattr(settings, f"FOLDBACK_{role}_PROMPT")
        if path and not Path(path).expanduser().is_file():
            hint = "It must be there on every machine that generates; empty: the live prompt."
            found.append(Error(f"FOLDBACK_{role}_PROMPT names no file: {path}.", hint=hint, id="foldback.E034"))
    if settings.FOLDBACK_AGENT_COMMAND and not landlock_abi():
        hint = "Linux 5.13 and newer have it. Without it run the worker where there is nothing else to read."
        found.append(Warning("Agents cannot be confined: no Landlock.", hint=hint, id="foldback.W031"))
    return found


def secret() -> list[CheckMessage]:
    """Where others can reach it. The embedded installation makes a good key by itself."""
    key = settings.SECRET_KEY
    if settings.DEBUG or settings.EMBEDDED_DATABASE:
        return []
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_CHARACTERS or key.startswith("django-insecure-"):
        hint = f"Set SECRET_KEY to at least {SHORTEST_KEY} random characters, the same for every process."
        return [Error("SECRET_KEY is weak.", hint=hint, id="foldback.E009")]
    if not os.environ.get("SECRET_KEY"):
        hint = "Set SECRET_KEY, the same for every process: sessions made by one are refused by the others."
        return [Warning("SECRET_KEY is not set: each machine makes its own.", hint=hint, id="foldback.W002")]
    return []


def broker() -> list[CheckMessage]:
    """pgmq's client knows host, port, name, user and password only."""
    options = settings.DATABASES["default"].get("OPTIONS", {})
    lost = sorted(name for name in options if name.startswith("ssl"))
    if not settings.EMBEDDED_BROKER or not lost:
        return []
    hint = "Set CELERY_BROKER_URL=redis://…, or the same by libpq's variables (PGSSLMODE, PGSSLROOTCERT)."
    return [Warning(f"The broker ignores {', '.join(lost)} of DATABASE_URL.", hint=hint, id="foldback.W001")]


def elsewhere() -> list[CheckMessage]:
    """Signing in at an OpenID Connect provider, where any of it is set."""
    issuer, client = settings.FOLDBACK_OIDC_ISSUER, settings.FOLDBACK_OIDC_CLIENT_ID
    found: list[CheckMessage] = []
    if not settings.OIDC and (issuer or client or settings.FOLDBACK_OIDC_CLIENT_SECRET):
        hint = "Set FOLDBACK_OIDC_ISSUER and FOLDBACK_OIDC_CLIENT_ID, or none of FOLDBACK_OIDC_…."
        found.append(Error("OpenID Connect is set in part.", hint=hint, id="foldback.E011"))
    parts = urlsplit(issuer)
    if issuer and parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        hint = "For example https://login.example.org/realms/main; plain http only on this very machine."
        found.append(Error("FOLDBACK_OIDC_ISSUER is no https address.", hint=hint, id="foldback.E012"))
    if len(issuer) > LONGEST_ISSUER:
        hint = "It is stored with each person who signs in there."
        found.append(Error("FOLDBACK_OIDC_ISSUER has over 200 characters.", hint=hint, id="foldback.E012"))
    groups = settings.FOLDBACK_OIDC_GROUPS
    roles = (REVIEWER, ADJUDICATOR, "admin")
    if not isinstance(groups, dict) or any(role not in roles for role in groups.values()):
        hint = 'For example FOLDBACK_OIDC_GROUPS={"record-team": "reviewer"}; roles: reviewer, adjudicator, admin.'
        found.append(Error("FOLDBACK_OIDC_GROUPS maps no claims to roles.", hint=hint, id="foldback.E013"))
    if "openid" not in settings.FOLDBACK_OIDC_SCOPES:
        hint = "Without the scope openid no provider says who it is."
        found.append(Error("FOLDBACK_OIDC_SCOPES has no openid.", hint=hint, id="foldback.E014"))
    return found


def webhooks() -> list[CheckMessage]:
    """What others are told, and where that may go."""
    found: list[CheckMessage] = []
    parts = urlsplit(settings.FOLDBACK_URL)
    if settings.FOLDBACK_URL and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
        hint = "For example https://foldback.example.org; empty, addresses in messages begin at the path."
        found.append(Error("FOLDBACK_URL is no address.", hint=hint, id="foldback.E051"))
    for given in settings.FOLDBACK_WEBHOOK_PRIVATE_TARGETS:
        try:
            ip_network(given.strip(), strict=False)
        except ValueError:
            hint = "Networks with commas between: 10.0.0.0/8,fd00::/8. Until then this one allows nothing."
            problem = f"FOLDBACK_WEBHOOK_PRIVATE_TARGETS holds no network: {given}."
            found.append(Error(problem, hint=hint, id="foldback.E052"))
    if settings.FOLDBACK_KEEP_WEBHOOKS_DAYS < 0:
        hint = "Days after which messages that were delivered or given up are deleted; 0 keeps them for ever."
        found.append(Error("FOLDBACK_KEEP_WEBHOOKS_DAYS is below 0.", hint=hint, id="foldback.E053"))
    return found


def traces() -> list[CheckMessage]:
    """Variables that may be meant for every program of a machine: what we do not know is told, not refused."""
    found: list[CheckMessage] = []
    if settings.TRACES_EXPORTER not in ("otlp", "none"):
        hint = "Set it to otlp or none; until then no traces are sent."
        found.append(Warning("OTEL_TRACES_EXPORTER is neither otlp nor none.", hint=hint, id="foldback.W061"))
    if settings.TRACES and settings.OTLP_PROTOCOL not in ("", "http/protobuf"):
        hint = "Traces are sent as http/protobuf, to port 4318 of most collectors."
        found.append(Warning("OTEL_EXPORTER_OTLP_PROTOCOL is not heard.", hint=hint, id="foldback.W062"))
    if (
        settings.TRACES
        and settings.OTLP_ENDPOINT
        and not settings.OTLP_ENDPOINT.startswith(("http://", "https://"))
    ):
        hint = "For example http://collector.example.org:4318."
        found.append(Warning("OTEL_EXPORTER_OTLP_ENDPOINT is no address.", hint=hint, id="foldback.W063"))
    return found
