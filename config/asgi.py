"""The web process: `uvicorn config.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

from config.bounded import Bounded
from config.telemetry import traced

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("FOLDBACK_DATABASE_POOL", "1")
application = traced(Bounded(get_asgi_application()))
