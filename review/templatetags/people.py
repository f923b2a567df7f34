"""How people are shown: a name, and initials for the small round mark."""

import re
from typing import Any

from django import template

register = template.Library()


@register.filter
def person_name(user: Any) -> str:
    """The full name where one is kept, else the user name."""
    return "" if user is None else (user.get_full_name() or user.get_username())


@register.filter
def initials(user: Any) -> str:
    """Two letters: of first and last word, or the first two of the only one."""
    words = re.findall(r"\w+", person_name(user))
    if not words:
        return "?"
    letters = words[0][0] + words[-1][0] if len(words) > 1 else words[0][:2]
    return letters.upper()
