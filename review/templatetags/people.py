"""How people are shown: a name, and initials for the small round mark."""

import re

from django import template
from django.contrib.auth.models import AbstractBaseUser, User

from review.people import name_of

register = template.Library()


@register.filter
def person_name(user: AbstractBaseUser | None) -> str:
    """The full name where one is kept, else the user name."""
    return name_of(user) if isinstance(user, User) else ""


@register.filter
def initials(user: AbstractBaseUser | None) -> str:
    """Two letters: of first and last word, or the first two of the only one."""
    words: list[str] = re.findall(r"\w+", person_name(user))
    if not words:
        return "?"
    letters = words[0][0] + words[-1][0] if len(words) > 1 else words[0][:2]
    return letters.upper()
