"""Every setting, read from the environment; `.env.example` lists what may be set."""

import logging
import sys
from decimal import Decimal
from pathlib import Path

import environ
import structlog

from config.broker import VISIBILITY_SECONDS, pgmq_options
from config.embedded import database_url
from config.environment_variables import Environment
from config.flows import packages_of
from config.log_lines import on_one_line
from config.secret import secret_key
from config.tracebacks import without_words

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
ENVIRONMENT_PROBLEMS = env.problems
environ.Env.read_env(BASE_DIR / ".env")

TESTING = "pytest" in sys.modules
DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("FOLDBACK_DATA_DIR", default=str(BASE_DIR / "var"))).expanduser()
EMBEDDED_DATABASE = not env.str("DATABASE_URL", default="")
EMBEDDED_BROKER = not env.str("CELERY_BROKER_URL", default="")
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# --- Foldback -----------------------------------------------------------------------------------

ANTHROPIC_API_KEY = env.str("ANTHROPIC_API_KEY", default="")
ANTHROPIC_BASE_URL = env.str("ANTHROPIC_BASE_URL", default="https://api.anthropic.com")
FOLDBACK_PROVIDER = env.str("FOLDBACK_PROVIDER", default="anthropic" if ANTHROPIC_API_KEY else "demo")
FOLDBACK_MODEL = env.str("FOLDBACK_MODEL", default="claude-sonnet-5-5")
FOLDBACK_JUDGE_MODEL = env.str("FOLDBACK_JUDGE_MODEL", default="")
FOLDBACK_CONCURRENCY = env.int("FOLDBACK_CONCURRENCY", default=8)
FOLDBACK_AGENT_COMMAND = env.json("FOLDBACK_AGENT_COMMAND", default=[])
FOLDBACK_AGENT_SECONDS = env.int("FOLDBACK_AGENT_SECONDS", default=1800)
FOLDBACK_AGENT_ENVIRONMENT = env.json("FOLDBACK_AGENT_ENVIRONMENT", default=[])
FOLDBACK_AGENT_PATHS = env.json("FOLDBACK_AGENT_PATHS", default=[])
FOLDBACK_REVIEW = env.bool("FOLDBACK_REVIEW", default=None)  # None: as the flow has it
FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS = env.int("FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS", default=None)
FOLDBACK_DEVELOPER_PROMPT = env.str("FOLDBACK_DEVELOPER_PROMPT", default="")
FOLDBACK_REVIEWER_PROMPT = env.str("FOLDBACK_REVIEWER_PROMPT", default="")
FOLDBACK_PROMPT_APPROVAL = env.bool("FOLDBACK_PROMPT_APPROVAL", default=False)
FOLDBACK_HOLDOUT = env.float("FOLDBACK_HOLDOUT", default=0.1)
FOLDBACK_BLIND_REVIEW = env.float("FOLDBACK_BLIND_REVIEW", default=min(0.1, FOLDBACK_HOLDOUT))
FOLDBACK_POLICY = env.str("FOLDBACK_POLICY", default="window")  # where no admin chose one
FOLDBACK_REVIEW_SAMPLE = env.float("FOLDBACK_REVIEW_SAMPLE", default=0.1)
FOLDBACK_ASSIGNMENT_HOURS = env.float("FOLDBACK_ASSIGNMENT_HOURS", default=24.0)
# Of a question, below which its vignette is too short to hold a case.
SHORTEST_VIGNETTE = {
    "characters": env.int("FOLDBACK_VIGNETTE_CHARACTERS", default=50),
    "words": env.int("FOLDBACK_VIGNETTE_WORDS", default=10),
}
FOLDBACK_KEEP_CALLS_DAYS = env.int("FOLDBACK_KEEP_CALLS_DAYS", default=0)  # 0: for ever
FOLDBACK_KEEP_EXPORTS_DAYS = env.int("FOLDBACK_KEEP_EXPORTS_DAYS", default=7)
FOLDBACK_EXPORTS_DIR = Path(env.str("FOLDBACK_EXPORTS_DIR", default=str(DATA_DIR / "exports"))).expanduser()
FOLDBACK_SPEND_CAP_USD = env("FOLDBACK_SPEND_CAP_USD", cast=Decimal, default=Decimal(0))  # 0: no cap
# Absolute addresses in what is told to others; empty: they begin at "/".
FOLDBACK_URL = env.str("FOLDBACK_URL", default="").rstrip("/")
FOLDBACK_WEBHOOK_PRIVATE_TARGETS = env.list("FOLDBACK_WEBHOOK_PRIVATE_TARGETS", default=[])  # networks
FOLDBACK_KEEP_WEBHOOKS_DAYS = env.int("FOLDBACK_KEEP_WEBHOOKS_DAYS", default=30)  # 0: for ever
# Flows from elsewhere, name → dotted path of its FLOW; their packages are apps, for their templates and styles.
FOLDBACK_FLOWS = env.dict("FOLDBACK_FLOWS", default={})

# How learning reaches generation, which imports neither review nor learning.
PROMPT_RESOLVER = "learning.resolver.resolve"
# And how it hears of a review, which imports it neither: called with the run's id once the review stands.
AFTER_REVIEW = "learning.tasks.after_review"

# Budgets of what learning may put into one prompt, in characters (names: a count; tokens: the upper bound of
# generation.tokens for all of it, which scripts of one or two bytes a letter never reach before `total`).
INJECTION_BUDGETS = {"notes": 400, "field": 80, "names": 10, "total": 2000, "example": 1600, "tokens": 4000}

# US dollars per million tokens: input, output, cache write, cache read. The SDK holds no prices.
PRICES_USD = {
    "claude-sonnet-5-5": ("3.00", "15.00", "3.75", "0.30"),
    "claude-haiku-5-5": ("1.00", "5.00", "1.25", "0.10"),
}
SEARCH_PRICE_USD = "10.00"  # per thousand web searches, beside their tokens
BATCH_PRICE_SHARE = "0.5"  # of the prices of tokens, for what the provider's batch interface answers
CALL_TIMEOUT_SECONDS = 120
CALL_RETRIES = 2
RUN_LEASE_SECONDS = 300  # renewed before each call; a worker without a sign for longer is taken as dead
FOLDBACK_KEEP_IDEMPOTENCY_HOURS = env.int("FOLDBACK_KEEP_IDEMPOTENCY_HOURS", default=24)
API_CALLS_PER_MINUTE = env.int("FOLDBACK_API_CALLS_PER_MINUTE", default=600)  # of one key; 0: no limit
CLAIM_SECONDS = 600
PREFETCH_CLAIM_SECONDS = 60

# Signing in at an OpenID Connect provider, beside the passwords here: on where both of the first are set.
FOLDBACK_OIDC_ISSUER = env.str("FOLDBACK_OIDC_ISSUER", default="")
FOLDBACK_OIDC_CLIENT_ID = env.str("FOLDBACK_OIDC_CLIENT_ID", default="")
FOLDBACK_OIDC_CLIENT_SECRET = env.str("FOLDBACK_OIDC_CLIENT_SECRET", default="")
FOLDBACK_OIDC_NAME = env.str("FOLDBACK_OIDC_NAME", default="single sign-on")
FOLDBACK_OIDC_SCOPES = env.str("FOLDBACK_OIDC_SCOPES", default="openid profile").split()
FOLDBACK_OIDC_GROUPS_CLAIM = env.str("FOLDBACK_OIDC_GROUPS_CLAIM", default="groups")
FOLDBACK_OIDC_GROUPS = env.json("FOLDBACK_OIDC_GROUPS", default={})  # a value of that claim → a role here
OIDC = bool(FOLDBACK_OIDC_ISSUER and FOLDBACK_OIDC_CLIENT_ID)

# Traces, switched on as OpenTelemetry says; all else about them its SDK reads from its own variables.
OTLP_ENDPOINT = env.str("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", default="") or env.str(
    "OTEL_EXPORTER_OTLP_ENDPOINT", default=""
)
OTLP_PROTOCOL = env.str("OTEL_EXPORTER_OTLP_PROTOCOL", default="")
TRACES_EXPORTER = env.str("OTEL_TRACES_EXPORTER", default="otlp" if OTLP_ENDPOINT else "none")
TRACES = TRACES_EXPORTER == "otlp" and not env.bool("OTEL_SDK_DISABLED", default=False)

# --- Django ---------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "learning",
    "review",
    "generation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "django_structlog",
    "ninja",
]
if OIDC:  # else nothing of it is loaded, and its tables need not exist
    INSTALLED_APPS += ["config.oidc.apps.Accounts", "config.oidc.apps.SocialAccounts"]
INSTALLED_APPS += [package for package in packages_of(FOLDBACK_FLOWS) if package not in INSTALLED_APPS]
MIDDLEWARE = [
    "generation.rest.problems.problems_below_api",
    "django.middleware.security.SecurityMiddleware",
    "config.static.Middleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.request_log.PathLog",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.site",
            ],
        },
    }
]
# The web process sets FOLDBACK_DATABASE_POOL: it serves each request in a thread that may be a new one, where
# connections that live as long as their thread pile up. The worker's threads stay, and so do their connections
# (config/celery.py).
DATABASES = {"default": {**env.database(default=database_url(DATA_DIR)), "CONN_HEALTH_CHECKS": True}}
if env.bool("FOLDBACK_DATABASE_POOL", default=False):
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": max(20, FOLDBACK_CONCURRENCY + 4),
        "timeout": 10,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Failed sign-ins allowed in a window: of a name from an address, from an address, of a name from anywhere.
SIGN_IN_FAILURES = {"both": 5, "address": 50, "name": 100}
SIGN_IN_WINDOW_SECONDS = 15 * 60
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"

# The largest body of a request, in bytes: a batch of 1,000 runs with texts of 10,000 characters fits.
DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("FOLDBACK_MAX_BODY_BYTES", default=16 * 1024 * 1024)

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
FORMAT_MODULE_PATH = "config.formats"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # read at start from where they lie: nothing to collect
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.Storage"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
# Behind HTTPS: set FOLDBACK_HTTPS=1, and the cookies and redirects follow.
HTTPS = env.bool("FOLDBACK_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # asked from inside, without the proxy
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# The preload list takes whole domains and keeps them for years: for their owners to ask for, not for us.
SILENCED_SYSTEM_CHECKS = ["security.W021"]

# --- Celery: names are read by config.celery with the prefix CELERY_ ------------------------------

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="") or "pgmq://embedded"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    pgmq_options(DATABASES["default"]) if EMBEDDED_BROKER else {"visibility_timeout": VISIBILITY_SECONDS}
)
CELERY_BROKER_POOL_LIMIT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_DEFAULT_QUEUE = "foldback"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.2}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = FOLDBACK_CONCURRENCY
CELERY_WORKER_POOL = "threads"  # calls wait on the network
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # its queue names are too long for pgmq; heartbeats are a table
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "config.beat:Scheduler"  # the schedule is below, there is nothing to remember
# Little piles up while no worker is there: a beat that nobody took is dropped. That compares the clocks of two
# machines, the only thing that does, so it allows for clocks that are an hour apart.
BEAT_EXPIRES = 2 * 3600
# How often each comes, in seconds.
BEATS = {
    "generation.tasks.sweep": 15,
    "generation.tasks.sweep_trials": 30,
    "generation.tasks.send_deferred": 30,
    "generation.tasks.collect_deferred": 60,
    "generation.tasks.sweep_webhooks": 10,
    "learning.tasks.tell_all_triggers": 300,
    "review.tasks.write_missing_events": 60,
    "review.tasks.end_assignments": 60,
    "review.tasks.finish_bulk": 60,
    "learning.tasks.finish_backtests": 60,
    "review.tasks.fold_tallies": 60,
    "learning.tasks.fold_facts": 60,
    "learning.tasks.find_proposals": 900,
    "review.tasks.write_exports": 60,
    "review.tasks.forget_exports": 3600,
    "generation.tasks.forget": 600,
}
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": seconds, "options": {"expires": BEAT_EXPIRES}}
    for task, seconds in BEATS.items()
}

# --- Logs: structured, one line each; never a key, a request's body or a record's text ------------

DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG  # one line per request, when it is answered
DJANGO_STRUCTLOG_REQUEST_CANCELLED_LOG_LEVEL = logging.DEBUG  # who followed a run has closed the page
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_CELERY_DEFAULT_LOG_LEVEL = logging.DEBUG  # the tasks themselves tell what they did
SHARED_LOG_PROCESSORS: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LOG_RENDERERS: dict[str, list[structlog.typing.Processor]] = {
    "line": [without_words, on_one_line, structlog.dev.ConsoleRenderer(colors=False)],
    "json": [without_words, structlog.processors.JSONRenderer()],
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "foldback": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *LOG_RENDERERS[env.choice("FOLDBACK_LOG_FORMAT", LOG_RENDERERS, default="line")],
            ],
            "foreign_pre_chain": SHARED_LOG_PROCESSORS,
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "foldback"}},
    "root": {"handlers": ["stderr"], "level": env.choice("FOLDBACK_LOG_LEVEL", LOG_LEVELS, default="INFO")},
    "loggers": {
        "django.request": {"level": "CRITICAL"},  # django-structlog tells every answer
        "django.server": {"level": "WARNING"},
        "uvicorn": {"level": "WARNING", "propagate": True},  # takes away the handlers that it made for itself
        "uvicorn.error": {"level": "WARNING", "propagate": True},
        "celery": {"level": "WARNING"},  # at INFO it tells each task twice; the tasks tell what they did
        "celery.app.trace": {"level": "CRITICAL"},  # quotes the error of a failed task; task_failed tells its kind
        "kombu": {"level": "WARNING"},
        "pgmq": {"level": "WARNING"},
        "anthropic": {"level": "WARNING"},  # at DEBUG its SDK logs whole prompts
        "httpx2": {"level": "WARNING"},
        "urllib3": {"level": "WARNING"},  # at DEBUG every address that it asks, with its query
        "opentelemetry": {"level": "CRITICAL"},  # at each try; config/telemetry/sending.py tells it seldom
        "django.db.backends": {"level": "INFO"},  # at DEBUG every value of every statement
        "django.template": {"level": "INFO"},  # at DEBUG whole contexts
    },
}
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *SHARED_LOG_PROCESSORS,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=not TESTING,
)
