"""Query parameters: what an operation does not take is refused by name, so that no misspelt filter goes unseen."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja.operation import Operation

from generation.errors import BadInput, FieldProblem, pointer
from generation.rest.problems import problem


def taken_by(operation: Operation) -> list[str]:
    queries = (model for model in operation.models if model.__ninja_param_source__ == "query")
    return [name for model in queries for name in model.__ninja_flatten_map__]


def known_alone(view: Callable[..., Any]) -> Callable[..., Any]:
    """For every operation's function: BadInput at each parameter that the operation does not take."""
    known = taken_by(view._ninja_operation)  # type: ignore[attr-defined]

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **values: Any) -> Any:
        unknown = [name for name in request.GET if name not in known]
        if unknown:
            told = _("unknown parameter; known: {names}").format(names=", ".join(known) or _("none"))
            raise BadInput(*(FieldProblem(pointer([name]), told) for name in unknown))
        return view(request, *args, **values)

    return asked


def too_many(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """What Django refuses to read."""
    told = _("more than {most} parameters").format(most=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
    return problem(422, told, [FieldProblem("", told)])
