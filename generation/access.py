"""Who may call the REST API: making keys, and reading them off a request."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.errors import AuthenticationError, AuthorizationError, Throttled
from ninja.security import HttpBearer

from generation import clock
from generation.errors import BadInput
from generation.models import SCOPES, ApiKey
from generation.rates import count_call
from generation.rest.limits import Allowance, note

DEFAULT_SCOPES = tuple(scope for scope in SCOPES if scope != "admin")
LAST_USED_EVERY = timedelta(minutes=1)


class ApiRequest(HttpRequest):
    """A request that `ApiKeyAuth` let through."""

    auth: ApiKey


def make_key(
    name: str,
    *,
    user: User | None = None,
    scopes: Iterable[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """The stored key and its secret, which is told this once. BadInput for a scope that there is not, and for an
    end that is past."""
    wanted = tuple(dict.fromkeys(DEFAULT_SCOPES if scopes is None else scopes))
    unknown = [scope for scope in wanted if scope not in SCOPES]
    if unknown or not wanted:
        raise BadInput.at(
            "/scopes", _("{scopes}: give one or more of {known}.").format(scopes=unknown, known=", ".join(SCOPES))
        )
    if expires_at is not None and expires_at <= clock.now():
        raise BadInput.at("/expires_at", _("This time is past."))
    secret = ApiKey.new_secret()
    key = ApiKey.objects.create(
        name=name,
        prefix=secret[:8],
        hash=ApiKey.digest(secret),
        user=user,
        scopes=list(wanted),
        expires_at=expires_at,
    )
    return key, secret


def person_named(username: str) -> User:
    """Who has runs made at the command line; BadInput where there is nobody of this name."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise BadInput.at("/user", _("There is no active person of this name."))
    return user


class ApiKeyAuth(HttpBearer):
    """`Authorization: Bearer KEY`: lets the key of `scope` through, as `request.auth`.

    401 for no key or one that does not hold; 429 over the limit of calls; 403 where the scope is missing.
    """

    openapi_bearerFormat = "API key"

    def __init__(self, scope: str) -> None:
        assert scope in SCOPES
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey:
        key: ApiKey = _holding(token.strip())
        limit: int = settings.API_CALLS_PER_MINUTE
        if limit:
            count, seconds = count_call(key.pk)
            note(request, Allowance(limit, count, seconds))
            if count > limit:
                raise Throttled(wait=seconds)
        if self.scope not in key.scopes:
            raise AuthorizationError(
                message=_("This call needs a key of scope “{scope}”; this one has: {scopes}.").format(
                    scope=self.scope, scopes=", ".join(key.scopes)
                )
            )
        _touch(key)
        return key


def _holding(secret: str) -> Any:
    """The key as the database sees it, by its own time: with `expired` and `used_lately`."""
    expired = ExpressionWrapper(Q(expires_at__lte=Now()), output_field=BooleanField())
    lately = ExpressionWrapper(Q(last_used_at__gt=Now() - LAST_USED_EVERY), output_field=BooleanField())
    keys = ApiKey.objects.filter(hash=ApiKey.digest(secret)).select_related("user")
    key = keys.annotate(expired=expired, used_lately=lately).first()
    if key is None:
        raise AuthenticationError(message=_("There is no such key."))
    if key.revoked_at is not None:
        raise AuthenticationError(message=_("This key was revoked."))
    if key.expired:
        raise AuthenticationError(message=_("This key has expired."))
    if key.user is not None and not key.user.is_active:
        raise AuthenticationError(message=_("The person of this key is no longer active."))
    return key


def _touch(key: Any) -> None:
    """Written at most once a minute, so that a busy key costs no write per call."""
    if key.used_lately is not True:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=Now())
