"""Who signs in: a person is known by issuer and subject alone, and may do what the configured claim says."""

import hashlib
from collections.abc import Iterator
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from config.oidc.errors import NotSignedIn
from generation.reading import storable
from review.groups import ADJUDICATOR, REVIEWER
from review.people import LONGEST_USERNAME, username_of

ADMIN = "admin"
ROLES = (REVIEWER, ADJUDICATOR, ADMIN)
LONGEST_SUBJECT = 191  # characters, what allauth's column holds
MARK = 8  # hex digits that tell two people of one name apart


def person(claims: dict[str, Any]) -> User:
    """The person of these claims, made without rights where unknown. NotSignedIn where the account is closed."""
    subject = claims["sub"]
    if not 0 < len(subject) <= LONGEST_SUBJECT or storable(subject) != subject:
        raise NotSignedIn("unsound")
    user = known(subject) or _made(subject, claims)
    if not user.is_active:
        raise NotSignedIn("closed")
    _take_roles(user, claims)
    return user


def known(subject: str) -> User | None:
    link = SocialAccount.objects.filter(provider=settings.FOLDBACK_OIDC_ISSUER, uid=subject).first()
    return link.user if link else None


def link(user: User, subject: str) -> None:
    """From now on this subject is this person, whoever it was before."""
    SocialAccount.objects.update_or_create(
        provider=settings.FOLDBACK_OIDC_ISSUER, uid=subject, defaults={"user": user}
    )


def _made(subject: str, claims: dict[str, Any]) -> User:
    """A new person who signs in there alone. Of two that come at once for one subject the first is made."""
    for name in _names(subject, claims):
        if User.objects.filter(username__iexact=name).exists():
            continue  # somebody else of that name: never taken over
        try:
            with transaction.atomic():
                user = User.objects.create_user(
                    username=name, first_name=_text(claims, "given_name"), last_name=_text(claims, "family_name")
                )
                SocialAccount.objects.create(
                    user=user, provider=settings.FOLDBACK_OIDC_ISSUER, uid=subject, extra_data={}
                )
                return user
        except IntegrityError:
            if user_meanwhile := known(subject):
                return user_meanwhile
    raise NotSignedIn("refused")


def _names(subject: str, claims: dict[str, Any]) -> Iterator[str]:
    mark = hashlib.sha256(f"{settings.FOLDBACK_OIDC_ISSUER}\0{subject}".encode()).hexdigest()[:MARK]
    wanted = next((_text(claims, claim) for claim in ("preferred_username", "name") if claims.get(claim)), "")
    name = username_of(wanted) or "person"
    yield name
    yield f"{name[: LONGEST_USERNAME - MARK - 1]}-{mark}"


def _text(claims: dict[str, Any], claim: str) -> str:
    value = claims.get(claim)
    return storable(value).strip()[:LONGEST_USERNAME] if isinstance(value, str) else ""


def _take_roles(user: User, claims: dict[str, Any]) -> None:
    """Exactly the roles that the claim gives, of those that the mapping names; the others are left as they are."""
    mapping: dict[str, str] = settings.FOLDBACK_OIDC_GROUPS
    said = claims.get(settings.FOLDBACK_OIDC_GROUPS_CLAIM)
    named = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    given = {mapping[value] for value in named if isinstance(value, str) and value in mapping}
    for role in set(mapping.values()) - {ADMIN}:
        group = Group.objects.get_or_create(name=role)[0]
        if role in given:
            user.groups.add(group)
        else:
            user.groups.remove(group)
    is_admin = ADMIN in given
    if ADMIN in mapping.values() and (user.is_staff, user.is_superuser) != (is_admin, is_admin):
        user.is_staff = user.is_superuser = is_admin
        user.save(update_fields=["is_staff", "is_superuser"])
