"""Flows and signals in words."""

from django import template

from generation.flows import label_of
from review.words import label

register = template.Library()


@register.filter
def word(flow: str, signal: str) -> str:
    """`{{ run.flow|word:"bad_format" }}`: what the flow calls it."""
    return label(flow, signal)


@register.filter
def flow_label(flow: str) -> str:
    return label_of(flow)
