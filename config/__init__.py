"""Wires the three apps together: settings, URLs, API, worker and supervisor."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
