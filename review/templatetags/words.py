"""Signals by the words of a flow."""

from django import template

from review.words import label

register = template.Library()


@register.filter
def word(flow: str, signal: str) -> str:
    """`{{ run.flow|word:"bad_format" }}`: what the flow calls it."""
    return label(flow, signal)
