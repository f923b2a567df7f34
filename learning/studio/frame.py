"""A page of the studio inside administration's frame, and who may see it."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

View = Callable[..., HttpResponse]


def allowed(permission: str) -> Callable[[View], View]:
    """For those who have this permission, signed in to administration."""

    def wrap(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return admin.site.admin_view(checked)

    return wrap


def framed(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, under: str, status: int = 200
) -> HttpResponse:
    """under: the address in administration's navigation that stands for this page."""
    common = admin.site.each_context(request)
    return TemplateResponse(
        request, f"admin/studio/{template}", {**common, "nav_url": under, **context}, status=status
    )
