"""Changes of agents on pages."""

from collections.abc import Mapping
from typing import Any

from django import template

from review.pages.diff import DiffFile, Output, diff_files, output

register = template.Library()


@register.filter
def changed_files(record: Mapping[str, Any]) -> list[DiffFile]:
    """The files of a change with their lines."""
    return diff_files(record)


@register.filter
def as_output(text: str) -> Output:
    """An output with its last lines apart."""
    return output(text)


@register.filter
def total(files: list[DiffFile], name: str) -> int:
    """The sum of `added` or `removed` over the files."""
    return sum(getattr(file, name) or 0 for file in files)
