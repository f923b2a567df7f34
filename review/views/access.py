"""Who may come in, and what a reviewer's session remembers."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django_htmx.middleware import HtmxDetails

from review.groups import CAN_EXPORT, CAN_PLACE, CAN_READ, CAN_RELEASE, CAN_REVIEW, CAN_STEER

REMEMBERED = 50


class Request(HttpRequest):
    """A signed-in reviewer's request, for the type checker."""

    user: User
    htmx: HtmxDetails


R = TypeVar("R", bound=HttpResponseBase)


class Guard(Protocol):
    def __call__(self, view: Callable[..., R], /) -> Callable[..., R]: ...


def _required(permission: str) -> Guard:
    def guard(view: Callable[..., R], /) -> Callable[..., R]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> R:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return guarded

    return guard


# 403 for people outside the groups. Signing in is asked for by the middleware.
reader_required = _required(CAN_READ)
reviewer_required = _required(CAN_REVIEW)
steering_required = _required(CAN_STEER)
placing_required = _required(CAN_PLACE)
releasing_required = _required(CAN_RELEASE)
exporting_required = _required(CAN_EXPORT)


def at_desk(request: Request) -> bool:
    """Whether the open review page asks (static/js/desk.js), to put the answer in its own place."""
    return request.htmx.target == "desk"


def remember_reviewed(request: HttpRequest, run_id: UUID) -> None:
    """Reviews in their order, so that undo can go back one by one."""
    done = [*request.session.get("reviewed", []), str(run_id)]
    request.session["reviewed"] = done[-REMEMBERED:]


def last_reviewed(request: HttpRequest) -> str:
    done = request.session.get("reviewed", [])
    return str(done[-1]) if done else ""


def forget_reviewed(request: HttpRequest, run_id: UUID) -> None:
    request.session["reviewed"] = [done for done in request.session.get("reviewed", []) if done != str(run_id)]


def remember_skipped(request: HttpRequest, run_id: UUID) -> list[UUID]:
    """Skipped runs, which "next" passes over; they stay in the queue for everybody else."""
    skipped = [*request.session.get("skipped", []), str(run_id)][-REMEMBERED:]
    request.session["skipped"] = skipped
    return [UUID(run) for run in skipped]


def skipped_runs(request: HttpRequest) -> list[UUID]:
    return [UUID(run) for run in request.session.get("skipped", [])]


def forget_skipped(request: HttpRequest) -> None:
    request.session["skipped"] = []
