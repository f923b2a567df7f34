"""Every setting, read from the environment; `.env.example` lists what may be set."""

import sys
from decimal import Decimal
from pathlib import Path

import environ
import structlog

from config.embedded import database_url
from config.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

TESTING = "pytest" in sys.modules
DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("FOLDBACK_DATA_DIR", default=str(BASE_DIR / "var"))).expanduser()
EMBEDDED_DATABASE = not env.str("DATABASE_URL", default="")
EMBEDDED_BROKER = not env.str("CELERY_BROKER_URL", default="")
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key(DATA_DIR)
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
FOLDBACK_REVIEW = env.bool("FOLDBACK_REVIEW", default=True)
FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS = env.int("FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS", default=None)
FOLDBACK_DEVELOPER_PROMPT = env.str("FOLDBACK_DEVELOPER_PROMPT", default="")
FOLDBACK_REVIEWER_PROMPT = env.str("FOLDBACK_REVIEWER_PROMPT", default="")
FOLDBACK_HOLDOUT = env.float("FOLDBACK_HOLDOUT", default=0.0)
FOLDBACK_SPEND_CAP_USD = Decimal(env.str("FOLDBACK_SPEND_CAP_USD", default="0"))  # 0: no cap

# How learning reaches generation, which imports neither review nor learning.
PROMPT_RESOLVER = "learning.resolver.resolve"

# Budgets of what learning may put into one prompt, in characters (names: a count).
INJECTION_BUDGETS = {"notes": 400, "field": 80, "names": 10, "total": 2000, "example": 1600}

# US dollars per million tokens: input, output, cache write, cache read. The SDK holds no prices.
PRICES_USD = {
    "claude-sonnet-5-5": ("3.00", "15.00", "3.75", "0.30"),
    "claude-haiku-5-5": ("1.00", "5.00", "1.25", "0.10"),
}
CALL_TIMEOUT_SECONDS = 120
CALL_RETRIES = 2
RUN_LEASE_SECONDS = 900  # a worker that holds a run longer than this without a sign is taken as dead
CLAIM_SECONDS = 600
PREFETCH_CLAIM_SECONDS = 60

# --- Django ---------------------------------------------------------------------------------------

INSTALLED_APPS = [
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
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
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
DATABASES = {"default": env.db_url_config(env.str("DATABASE_URL", default="") or database_url(DATA_DIR))}
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
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
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
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0

# --- Celery: names are read by config.celery with the prefix CELERY_ ------------------------------

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Nothing piles up behind a busy worker: a beat that nobody took before the next one is dropped.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "generation.tasks.sweep", "schedule": 15, "options": {"expires": 15}},
    "write-missing-events": {
        "task": "review.tasks.write_missing_events",
        "schedule": 60,
        "options": {"expires": 60},
    },
}

# --- Logs: structured, one line each; never a key, never a record's text --------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processor": structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
            "foreign_pre_chain": [
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("FOLDBACK_LOG_LEVEL", default="INFO")},
}
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.filter_by_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.format_exc_info,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=not TESTING,
)
