"""The way to the provider and back. Every failure ends on our own sign-in page, in plain words."""

from secrets import token_urlsafe
from typing import Any

import jwt
import requests
import structlog
from allauth.socialaccount.internal import statekit
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from config.oidc.client import Client, provider
from config.oidc.errors import NotSignedIn, words
from config.oidc.people import person
from generation import sign_ins
from learning.views.login import words_of_waiting

log = structlog.get_logger(__name__)
BACKEND = "django.contrib.auth.backends.ModelBackend"
CANCELLED = "access_denied"  # RFC 6749, 4.1.2.1
# What a provider's answers may be made of that no sign-in can be: fields missing, of another kind, not JSON.
MALFORMED = (OAuth2Error, jwt.PyJWTError, KeyError, TypeError, ValueError, AttributeError)


@never_cache
@login_not_required
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider. By a link: for a form `form-action` would have to name every stop."""
    following = _safe(request, request.GET.get("next", ""))
    if request.user.is_authenticated:
        return redirect(following or settings.LOGIN_REDIRECT_URL)
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return _back(following)  # another site may not start it
    if wait := sign_ins.attempt_from(_address(request)).wait:
        messages.error(request, words_of_waiting(wait))
        return _back(following)
    nonce = token_urlsafe(32)
    there = provider(request)
    try:
        answer: HttpResponse = there.redirect(
            request, "login", next_url=following, nonce=nonce, auth_params={"nonce": nonce}
        )
    except (requests.RequestException, NotSignedIn, *MALFORMED) as error:
        return _refused(request, error, following)
    return answer


@never_cache
@login_not_required
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    following = ""
    try:
        client = Client(request, settings.FOLDBACK_OIDC_ISSUER)
        state = _state(request)
        following = state.get("next", "")
        user = person(_claims(request, client, state))
    except (requests.RequestException, NotSignedIn, *MALFORMED) as error:
        return _refused(request, error, following)
    sign_ins.attempt_from_succeeded(_address(request))
    login(request, user, backend=BACKEND)
    log.info("signed_in_elsewhere", groups=user.groups.count(), admin=user.is_superuser)
    return redirect(_safe(request, following) or settings.LOGIN_REDIRECT_URL)


def _state(request: HttpRequest) -> dict[str, Any]:
    """What this browser took along, once and for ten minutes."""
    state: dict[str, Any] | None = statekit.unstash_state(
        request, provider_id=settings.FOLDBACK_OIDC_ISSUER, state_id=request.GET.get("state", "")
    )
    if state is None:
        raise NotSignedIn("outdated")
    return state


def _claims(request: HttpRequest, client: Client, state: dict[str, Any]) -> dict[str, Any]:
    if "error" in request.GET or "code" not in request.GET:
        raise NotSignedIn("cancelled" if request.GET.get("error") == CANCELLED else "refused")
    app = client.get_provider().app
    tokens = client.get_access_token_data(
        request, app, client.get_client(request, app), pkce_code_verifier=state["pkce_code_verifier"]
    )
    return client.claims(tokens, state["nonce"])


def _refused(request: HttpRequest, error: Exception, following: str) -> HttpResponse:
    """Presence and kind alone go to the log: what a provider answered may hold tokens."""
    code = error.code if isinstance(error, NotSignedIn) else "unsound"
    if isinstance(error, requests.RequestException):
        code = "unreachable"
    log.warning("sign_in_elsewhere_refused", code=code, error=type(error).__name__)
    messages.error(request, words(code, settings.FOLDBACK_OIDC_NAME))
    return _back(following)


def _back(following: str) -> HttpResponse:
    query = f"?{urlencode({'next': following})}" if following else ""
    return redirect(f"{reverse('login')}{query}")


def _safe(request: HttpRequest, following: str) -> str:
    """Where to go then, unless it leads elsewhere."""
    here = url_has_allowed_host_and_scheme(following, {request.get_host()}, require_https=request.is_secure())
    return following if here else ""


def _address(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))
