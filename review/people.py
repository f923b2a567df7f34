"""People: how they are called, and those whom an import brings along."""

import re

from django.contrib.auth.models import Group, User

from generation.reading import storable
from review.groups import REVIEWER

LONGEST_USERNAME = 150


def name_of(user: User) -> str:
    """The full name where there is one, else the name that signs in."""
    return user.get_full_name() or user.get_username()


def username_of(name: str) -> str:
    """A name as people write it, made into a user name: "Mia Koch" is Mia.Koch; empty where nothing is left."""
    return re.sub(r"[^\w.@+-]+", ".", name).strip(".")[:LONGEST_USERNAME]


def reviewer_named(name: str) -> User:
    """The person of this name; made as a reviewer without a password, who cannot sign in, where unknown."""
    username = username_of(name)
    user = User.objects.filter(username=username).first()
    if user is None:
        full = storable(name).strip() if username != name else ""
        user = User.objects.create_user(username=username, first_name=full[:LONGEST_USERNAME])
        user.groups.add(Group.objects.get_or_create(name=REVIEWER)[0])
    return user
