"""Registers what belongs to no app of its own: the system checks, and the Celery application that tasks go to."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import celery, checks  # noqa: F401 - here, so that the supervisor needs neither
