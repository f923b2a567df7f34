"""Records as text."""

import json
from typing import Any

from django import template

register = template.Library()


@register.filter
def as_json(content: Any) -> str:
    """Indented, keys in their own order, letters as they are."""
    return json.dumps(content, ensure_ascii=False, indent=2)
