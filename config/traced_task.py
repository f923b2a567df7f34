"""Tasks that go on with the trace of whoever sent them; where nobody traces they are Celery's own."""

from typing import Any

from celery import Task
from django.conf import settings

from generation import spans

HEADER = "traceparent"
TRACE = (HEADER, "tracestate")


class TracedTask(Task):  # type: ignore[type-arg]
    """The message carries the trace in its headers. The schedule's own tasks, which look and mostly find nothing,
    have no spans; what they enqueue begins a trace of its own."""

    abstract = True

    def apply_async(self, args: Any = None, kwargs: Any = None, *rest: Any, **options: Any) -> Any:
        with spans.within(f"send {self.name}", _told(self.name, "send"), kind="producer"):
            if carried := spans.carried():
                options["headers"] = {**(options.get("headers") or {}), **carried}
            return super().apply_async(args, kwargs, *rest, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.request.called_directly:
            return super().__call__(*args, **kwargs)
        if self.name in settings.BEATS:
            return self.run(*args, **kwargs)
        came = {name: str(value) for name in TRACE if (value := self.request.get(name))}
        with spans.span(f"process {self.name}", _told(self.name, "process"), kind="consumer", parent=came):
            return self.run(*args, **kwargs)


def _told(name: str, operation: str) -> dict[str, str]:
    return {
        "messaging.system": "celery",
        "messaging.operation.name": operation,
        "messaging.destination.name": settings.CELERY_TASK_DEFAULT_QUEUE,
        "foldback.task": name,
    }
