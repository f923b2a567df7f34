"""Sums of money in templates."""

from django import template

from generation.money import dollars

register = template.Library()
register.filter("dollars", dollars)
