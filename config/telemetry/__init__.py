"""Traces by OpenTelemetry, where its standard environment asks for them; else nothing of it is loaded."""

import structlog
from django.conf import settings

from config.bounded import Application

log = structlog.get_logger(__name__)


def begin(process: str) -> bool:
    """Trace this process by the name `process`; whether it does. What is wrong is logged, and stops nobody."""
    if not settings.TRACES:
        return False
    try:
        from config.telemetry import tracing

        tracing.begin(process)
    except Exception as error:  # a certificate that is not there, an address that is none
        log.error("traces_not_begun", error=type(error).__name__)
        return False
    log.info("traces_begun", process=process)
    return True


def traced(application: Application) -> Application:
    """The web process's application, with a span around each request where traces are asked for."""
    if not begin("web"):
        return application
    from config.telemetry.web import Traced

    return Traced(application)
