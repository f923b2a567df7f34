"""What a review moved, on the notice that follows it."""

import structlog
from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from generation.models import Run
from learning.after import after

register = template.Library()
log = structlog.get_logger(__name__)


@register.simple_tag(takes_context=True)
def after_review(context: Context, run: Run) -> SafeString:
    """The strips that moved. Empty where learning fails: the review stands, and its notice is shown."""
    try:
        found = after(run, context["request"].user)
        if isinstance(found, str):
            return render_to_string("learning/_quiet.html", {"text": found})
        return render_to_string("learning/_after.html", {"after": found})
    except Exception:
        log.exception("after_review_failed", run=str(run.pk))
        return SafeString("")
