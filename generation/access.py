"""Who may call the REST API: making keys, and reading them off a request."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
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
M = TypeVar("M", bound=Model)


def _columns(model: type[Model], table: str) -> str:
    return ", ".join(f'{table}."{field.column}"' for field in model._meta.concrete_fields)


# Written out, for every call begins with it: building it anew each time took ten times as long as reading its row.
_HOLDING = f"""
SELECT key.expires_at <= statement_timestamp(),
  key.last_used_at > statement_timestamp() - make_interval(secs => %s),
  {_columns(ApiKey, "key")}, {_columns(User, "person")}
FROM {ApiKey._meta.db_table} key LEFT JOIN {User._meta.db_table} person ON person.id = key.user_id
WHERE key.hash = %s
"""  # noqa: S608 the names are ours


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
        key, used_lately = _holding(token.strip())
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
        if not used_lately:
            _touch(key)
        return key


def _holding(secret: str) -> tuple[ApiKey, bool]:
    """The key with its person, and whether it was used lately; by the database's time."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDING, [LAST_USED_EVERY.total_seconds(), ApiKey.digest(secret)])
        row = cursor.fetchone()
    if row is None:
        raise AuthenticationError(message=_("There is no such key."))
    expired, used_lately, *values = row
    key = _made(ApiKey, values)
    if key.user_id is not None:
        key.user = _made(User, values[len(ApiKey._meta.concrete_fields) :])
    if key.revoked_at is not None:
        raise AuthenticationError(message=_("This key was revoked."))
    if expired:
        raise AuthenticationError(message=_("This key has expired."))
    if key.user is not None and not key.user.is_active:
        raise AuthenticationError(message=_("The person of this key is no longer active."))
    return key, bool(used_lately)


def _made(model: type[M], values: Sequence[Any]) -> M:
    """The row that begins these values, in the order of `_columns`."""
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(connection.alias, names, values[: len(names)])


def _touch(key: ApiKey) -> None:
    """Done at most once a minute, so that a busy key costs no write per call."""
    ApiKey.objects.filter(pk=key.pk).update(last_used_at=Now())
