"""Flows, signals and judgements in words."""

from django import template

from generation.flows import label_of
from generation.models import Judgement, Run
from generation.verdicts import detail, short
from review.words import label

register = template.Library()


@register.filter
def word(flow: str, signal: str) -> str:
    """`{{ run.flow|word:"bad_format" }}`: what the flow calls it."""
    return label(flow, signal)


@register.filter
def verdict(judgement: Judgement) -> str:
    """What became of it: passed, failed, or why the judge could not judge."""
    return short(judgement.outcome, str(judgement.result.get("code") or ""))


@register.filter
def why_ended(run: Run) -> str:
    return detail(run)


@register.filter
def flow_label(flow: str) -> str:
    return label_of(flow)
