"""Erasing a person: who they were goes, what they did stays. Events are never rewritten, only whose they are."""

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import F, Func, Q, Value
from django.db.models.fields.json import JSONField
from django.db.models.functions import Now

from generation.models import ApiKey, Run
from review.models import Claim, Export, ReviewForm
from review.people import name_of


def erase(user: User) -> str:
    """Deactivate and rename the person, and drop what says who they are; their new name. Safe to repeat."""
    names = {name_of(user), user.get_username(), user.get_full_name()} - {""}
    new = f"erased-{user.pk}"
    with transaction.atomic():
        _in_summaries(user, names, new)
        _in_the_log(user, new)
        Claim.objects.filter(reviewer=user).delete()
        ReviewForm.objects.filter(reviewer=user, state=ReviewForm.State.HALF_FILLED).delete()
        ApiKey.objects.filter(user=user).update(name=new)
        ApiKey.objects.filter(user=user, revoked_at__isnull=True).update(revoked_at=Now())
        user.username, user.first_name, user.last_name, user.email = new, "", "", ""
        user.is_active = user.is_staff = user.is_superuser = False
        user.last_login = None
        user.set_unusable_password()
        user.save()
        user.groups.clear()
        user.user_permissions.clear()
        _sessions(user)
        _links(user)
        _exports()
    return new


def _in_summaries(user: User, names: set[str], new: str) -> None:
    """The latest review as runs show it, and as forms keep it for undoing.

    By the form that it tells of, since people may have had another name then; an imported one has none.
    """
    runs = Run.objects.filter(Q(review_events__reviewer=user) | Q(review_forms__reviewer=user)).values("pk")
    own = list(ReviewForm.objects.filter(reviewer=user).values_list("pk", flat=True))
    theirs = Q(latest_review__form__in=own) | Q(latest_review__reviewer__in=names)
    Run.objects.filter(theirs, pk__in=runs).update(latest_review=_put(F("latest_review"), "{reviewer}", new))
    theirs = Q(before__latest_review__form__in=own) | Q(before__latest_review__reviewer__in=names)
    ReviewForm.objects.filter(theirs, run__in=runs).update(
        before=_put(F("before"), "{latest_review,reviewer}", new)
    )


def _put(json: F, path: str, text: str) -> Func:
    value = Value(f'"{text}"')
    return Func(
        json, Value(path), value, function="jsonb_set", template="%(function)s(%(expressions)s)",
        output_field=JSONField(),
    )  # fmt: skip


def _in_the_log(user: User, new: str) -> None:
    """Administration's own log: what it calls this account, and the account's keys."""
    keys = ApiKey.objects.filter(user=user).values_list("pk", flat=True)
    for model, rows in ((User, [user.pk]), (ApiKey, list(keys))):
        kind = ContentType.objects.get_for_model(model)
        LogEntry.objects.filter(content_type=kind, object_id__in=map(str, rows)).update(object_repr=new)


def _sessions(user: User) -> None:
    for session in Session.objects.filter(expire_date__gt=Now()).iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


def _exports() -> None:
    """Written ones may name the person. Without their rows the files go with the next sweep, within the hour."""
    Export.objects.all().delete()


def _links(user: User) -> None:
    """Who they are at an OpenID Connect provider; the table is there once that was switched on, and stays."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('socialaccount_socialaccount')")
        if cursor.fetchone()[0]:
            cursor.execute("DELETE FROM socialaccount_socialaccount WHERE user_id = %s", [user.pk])
