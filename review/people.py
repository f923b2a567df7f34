"""How people are called on pages and in summaries."""

from django.contrib.auth.models import User


def name_of(user: User) -> str:
    """The full name where there is one, else the name that signs in."""
    return user.get_full_name() or user.get_username()
