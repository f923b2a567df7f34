"""Real product titles as run lines: the ExtractGPT titles, where a checkout of them lies beside the project."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.text import slugify

from generation.models import Category, Subcategory


def files() -> list[Path]:
    """Empty where the titles are not at hand."""
    return sorted(settings.BASE_DIR.parent.glob("*/data/extractgpt/*.jsonl"))


def run_lines() -> Iterator[dict[str, Any]]:
    """Every title as the body of a run. Its category becomes the subcategory, which is made here; every
    fourth line names none, so that the categorizer has to find it.
    """
    category, _made = Category.objects.get_or_create(name="Product titles")
    known: set[str] = set()
    titles = [json.loads(line) for path in files() for line in path.read_text("utf-8").splitlines()]
    for number, title in enumerate(titles):
        slug = slugify(title["category"])
        if slug not in known:
            name = {"name": title["category"], "category": category}
            Subcategory.objects.get_or_create(slug=slug, defaults=name)
            known.add(slug)
        line = {"source": {"title": title["title"]}, "external_id": title["id"], "metadata": title["gold"]}
        yield line if number % 4 == 3 else line | {"subcategory": slug}
