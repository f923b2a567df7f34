"""Pages of trials, inside administration: start one, follow it, look at each run of it."""

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from generation.errors import BadInput
from generation.models import Prompt, Run, Trial
from generation.trials import starting
from learning.studio.achieved import achieved_page
from learning.studio.trial_page import TrialPage, trial_page
from learning.studio.trial_start import Start, start_page

CAN_SEE, CAN_START = "generation.view_prompt", "generation.change_prompt"
View = Callable[..., HttpResponse]


def seen_by_admins(view: View) -> View:
    """Inside administration, for those who may see prompts."""

    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not cast(User, request.user).has_perm(CAN_SEE):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return cast(View, admin.site.admin_view(checked))


def framed(
    request: HttpRequest, template: str, prompt: Prompt, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page of the studio in administration's frame; a fragment, beginning with _, goes without it."""
    may_start = cast(User, request.user).has_perm(CAN_START)
    common: dict[str, Any] = {"prompt": prompt, "may_change": may_start, "opts": Prompt._meta}
    if not template.startswith("_"):
        common |= admin.site.each_context(request)
    return TemplateResponse(request, f"admin/studio/{template}", {**common, **context}, status=status)


def _chosen(values: list[str]) -> set[UUID]:
    try:
        return {UUID(value) for value in values}
    except ValueError as error:
        raise Http404("no such run") from error


@seen_by_admins
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, prompt_id: int) -> HttpResponse:
    """With htmx: the runs and what they will cost."""
    prompt = get_object_or_404(Prompt, pk=prompt_id)
    given = request.POST or request.GET
    chosen = _chosen(given.getlist("run")) if "picked" in given else None
    page = start_page(prompt, given.get("version", ""), given.get("subcategory", ""), chosen)
    if request.method != "POST":
        template = "_trial_start.html" if request.headers.get("HX-Request") else "trial_start.html"
        return framed(request, template, prompt, {"page": page, "title": _("Trial")})
    if not cast(User, request.user).has_perm(CAN_START):
        raise PermissionDenied
    return _start(request, page)


def _start(request: HttpRequest, page: Start) -> HttpResponse:
    runs: list[Run] = [one.run for one in page.candidates if one.chosen]
    if page.version is None or page.subcategory is None:
        raise Http404("nothing to try, or to try it on")
    try:
        trial = starting.start(page.version, page.subcategory, runs, cast(User, request.user))
    except BadInput as refusal:
        context = {"page": page, "title": _("Trial"), "problem": refusal.problems[0].detail}
        return framed(request, "trial_start.html", page.prompt, context, status=422)
    return redirect("studio:trial_detail", trial.pk)


def _trial(trial_id: UUID) -> Trial:
    found = Trial.objects.select_related("version__prompt", "version__author", "subcategory", "by")
    return get_object_or_404(found, pk=trial_id)


@seen_by_admins
@require_safe
def detail(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    """The whole page; for htmx only what changes, until the trial is over."""
    trial = _trial(trial_id)
    fragment = bool(request.headers.get("HX-Request"))
    context = {"page": trial_page(trial), "fragment": fragment, "title": str(trial)}
    return framed(request, "_trial.html" if fragment else "trial.html", trial.version.prompt, context)


@seen_by_admins
@require_safe
def tried(request: HttpRequest, trial_id: UUID, position: int) -> HttpResponse:
    """One run of a trial beside what was made of it then."""
    trial = _trial(trial_id)
    page: TrialPage = trial_page(trial, position)
    if not page.runs:
        raise Http404("no such run in this trial")
    one = page.runs[0]
    context = {
        "trial": trial,
        "tried": one,
        "calls": list(one.one.calls.all()),
        "last": trial.runs.count(),
        "title": str(one.one.run),
    }
    return framed(request, "tried_run.html", trial.version.prompt, context)


@seen_by_admins
@require_POST
def stop(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    if not cast(User, request.user).has_perm(CAN_START):
        raise PermissionDenied
    stopped = starting.stop(_trial(trial_id))
    words = ngettext("%d run was stopped.", "%d runs were stopped.", stopped) % stopped
    messages.success(request, words if stopped else _("The trial was over already."))
    return redirect("studio:trial_detail", trial_id)


@seen_by_admins
@require_safe
def achieved(request: HttpRequest, prompt_id: int) -> HttpResponse:
    """With htmx: the two versions alone."""
    prompt = get_object_or_404(Prompt, pk=prompt_id)
    page = achieved_page(prompt, request.GET.get("before", ""), request.GET.get("after", ""))
    template = "_achieved_pair.html" if request.headers.get("HX-Request") else "achieved.html"
    return framed(request, template, prompt, {"page": page, "title": _("Achieved")})
