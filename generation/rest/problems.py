"""Every error of the REST API as RFC 9457 problem details, also those that Django itself answers."""

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, Throttled, ValidationError
from pydantic import Field

from generation.database_faults import RETRY_AFTER_SECONDS, refuses
from generation.errors import BadInput, Conflict, FieldProblem, pointer, said
from generation.rest import conditional, limits

log = structlog.get_logger(__name__)

API = "/api/v1/"
MEDIA_TYPE = "application/problem+json"


class ProblemField(Schema):
    """One bad field."""

    pointer: str = Field(description="JSON pointer into the body (or `/name` of a parameter).")
    detail: str


class Problem(Schema):
    """RFC 9457 problem details."""

    type: str = Field(description="Where this kind of problem is described.", examples=[f"{API}docs#problem-422"])
    title: str = Field(examples=["Unprocessable Entity"])
    status: int = Field(examples=[422])
    detail: str = Field(description="What is wrong here, for people.")
    errors: list[ProblemField] = Field(
        description="One entry per bad field, of the first 20; empty where no field is to blame."
    )


def errors(*statuses: int) -> dict[int, type[Problem]]:
    """For the `response=` of an operation: the problems that it answers besides those of every call."""
    return dict.fromkeys(statuses, Problem)


def problem(
    status: int,
    detail: str,
    fields: Iterable[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The answer itself; its keys are those of `Problem`."""
    body = {
        "type": f"{API}docs#problem-{status}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "errors": [{"pointer": field.pointer, "detail": field.detail} for field in fields],
    }
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE, headers=dict(headers or {}))


def add_handlers(api: NinjaAPI) -> None:
    """Teaches the API to answer our refusals, and its own, as problems."""
    api.add_exception_handler(BadInput, _bad_input)
    api.add_exception_handler(Conflict, lambda request, error: problem(409, str(error)))
    api.add_exception_handler(Http404, lambda request, error: problem(404, str(error) or unknown()))
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(RequestDataTooBig, lambda request, error: too_large())
    api.add_exception_handler(PermissionDenied, lambda request, error: problem(403, str(error)))
    api.add_exception_handler(conditional.Unchanged, _unchanged)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(Exception, _unexpected)


def _unchanged(request: HttpRequest, error: conditional.Unchanged | type[conditional.Unchanged]) -> HttpResponse:
    assert isinstance(error, conditional.Unchanged)
    return conditional.unchanged(error.etag)


def _bad_input(request: HttpRequest, error: BadInput | type[BadInput]) -> HttpResponse:
    assert isinstance(error, BadInput)
    return problem(422, error.summary, error.told())


def _invalid(request: HttpRequest, error: ValidationError | type[ValidationError]) -> HttpResponse:
    """Pydantic's findings: places in the body without ninja's own two first steps, parameters by name."""
    assert isinstance(error, ValidationError)
    return _bad_input(request, BadInput(*(_place(found) for found in error.errors)))


def _place(found: Mapping[str, Any]) -> FieldProblem:
    source, *rest = found["loc"]
    steps = rest[1:] if source == "body" else rest
    return FieldProblem(pointer(steps), said(found["msg"]))


def _http_error(request: HttpRequest, error: HttpError | type[HttpError]) -> HttpResponse:
    assert isinstance(error, HttpError)
    if isinstance(error.__cause__, BadInput):  # ninja wraps whatever its parser raises
        return _bad_input(request, error.__cause__)
    headers = {}
    if error.status_code == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
        detail = str(error) if str(error) != "Unauthorized" else _("Send a key: Authorization: Bearer KEY.")
    elif isinstance(error, Throttled):
        seconds = error.wait or 60
        headers["Retry-After"] = str(seconds)
        detail = _("This key made too many calls; try again in {seconds} seconds.").format(seconds=seconds)
    else:
        detail = str(error)
    return problem(error.status_code, detail, headers=headers)


def _unexpected(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """The cause goes to the log, never to the caller."""
    log.error("api_failed", method=request.method, path=request.path, exc_info=error)
    if refuses(error):
        headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        detail = _("The database takes nothing at the moment. Nothing was kept; the same call may succeed later.")
        return problem(503, detail, headers=headers)
    return problem(500, _("Something went wrong here. It was logged; the same call may succeed later."))


def too_large() -> HttpResponse:
    """What a body over the limit is answered with."""
    limit: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return problem(413, _("The body is larger than {limit} bytes. Send several smaller ones.").format(limit=limit))


def unknown() -> str:
    """What a 404 says where nothing knows better."""
    return _("There is nothing at this address.")


def problems_below_api(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Middleware, outermost: refuses large bodies unread, and turns Django's own error pages into problems."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(API):
            return get_response(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdigit() and int(length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return too_large()
        response = get_response(request)
        limits.tell(request, response)
        if response.status_code < 400 or response.get("Content-Type") == MEDIA_TYPE:
            return response
        details = {404: unknown(), 405: _("This address does not take {m}.").format(m=request.method)}
        phrase = HTTPStatus(response.status_code).phrase
        kept = {name: response[name] for name in ("Allow", "Retry-After", *limits.HEADERS) if name in response}
        return problem(response.status_code, details.get(response.status_code, phrase), headers=kept)

    return middleware
