"""How many proposals wait for a person, for the first page of administration."""

from typing import Any

from django import template

from learning.studio.proposals.pages import waiting_by_flow

register = template.Library()


@register.inclusion_tag("admin/studio/proposals/_waiting.html", takes_context=True)
def proposals_waiting(context: dict[str, Any]) -> dict[str, Any]:
    """Nothing for who may not see them. One query."""
    user = context["request"].user
    counts = waiting_by_flow() if user.has_perm("learning.view_proposal") else {}
    return {"by_flow": counts, "count": sum(counts.values())}
