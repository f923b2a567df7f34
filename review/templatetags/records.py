"""Records on a page: as text, and value by value with what is known of each.

For the pages of flows (`review/records/<flow>.html`). A pointer is given whole or in parts, so that lists can be
walked: `{% field "/blocks" forloop.counter0 "text" %}` is `/blocks/<n>/text`.
"""

import json
from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from review.correcting import as_text
from review.pages.reading import Spot, style_of

register = template.Library()


@register.filter
def as_json(content: Any) -> str:
    """Indented, keys in their own order, letters as they are."""
    return json.dumps(content, ensure_ascii=False, indent=2)


@register.filter
def as_label(name: object) -> str:
    """`clinical_accuracy` is Clinical accuracy."""
    return str(name).replace("_", " ").capitalize()


@register.filter
def changed_values(corrections: Mapping[str, Any]) -> list[dict[str, str]]:
    """What an event corrected in place: label, was and now as texts."""
    return [
        {"label": change["label"], "was": as_text(change["from"]) or "–", "now": as_text(change["to"]) or "–"}
        for change in corrections.get("values", ())
    ]


@register.simple_tag(takes_context=True)
def spot(context: Context, *pointer: object) -> Spot:
    """A value for markup of the page's own (`as name`), which then shows its `id`, `mark` and `notes`."""
    found: Spot = context["reading"].spot(*pointer)
    return found


@register.inclusion_tag("review/records/_field.html", takes_context=True)
def field(context: Context, *pointer: object) -> dict[str, Any]:
    """One value with its marks: support in the source, what it was, what was found."""
    return {"spot": spot(context, *pointer)}


@register.inclusion_tag("review/records/_notes.html", takes_context=True)
def notes(context: Context, *pointer: object) -> dict[str, Any]:
    """What was found at a part of the record, and at those of its values that the page does not show."""
    return {"spot": spot(context, *pointer)}


@register.simple_block_tag(takes_context=True)
def marked(context: Context, content: str, *pointer: object) -> SafeString:
    """`{% marked "/pointer" %}…{% endmarked %}`: the page's own markup of a value or a part, with its marks."""
    shown = {"spot": spot(context, *pointer), "content": content}
    return SafeString(render_to_string("review/records/_marked.html", shown))


@register.simple_tag
def record_styles(flow: str) -> SafeString | str:
    """The link to a flow's own style sheet, where it has one."""
    path = style_of(flow)
    return format_html('<link rel="stylesheet" href="{}">', static(path)) if path else ""
