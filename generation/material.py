"""What others wrote, as prompts show it: sources, drafts, feedback, names. Sanitized, capped, between tags.

A model's own answers are such texts, too: a draft and a judge's feedback may repeat what a source told them to.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from generation.errors import BadInput
from generation.flows.base import Finding
from generation.models import Subcategory
from generation.sanitizer import Unsanitizable, harmless, harmless_json, sanitize

# Characters. A source is at most so long by its shape; NFKC makes some longer.
LONGEST_SOURCE = 210_000
LONGEST_DRAFT, LONGEST_VALUE = 60_000, 20_000
LONGEST_FEEDBACK = 6_000
MOST_FINDINGS, LONGEST_FINDING = 20, 300
LONGEST_NAME = 200

TAGS = ("source", "draft", "feedback", "suspected")
TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)}|quote-))", re.IGNORECASE)


def within(tag: str, text: str) -> str:
    """The text between tags; it can neither close them nor open any other block of data."""
    return f"<{tag}>\n{TAG.sub('‹', text)}\n</{tag}>"


def source_text(text: str) -> str:
    """A source. Raises BadInput where it has no harmless form: without it nothing true can be made."""
    try:
        return within("source", harmless(text, LONGEST_SOURCE, data=True))
    except Unsanitizable:
        raise BadInput.at("/source", "the source cannot be read: its characters hide what it says") from None


def draft_text(content: Mapping[str, Any], findings: Sequence[Finding]) -> str:
    """A draft as JSON, with what the deterministic check suspects."""
    text = json.dumps(harmless_json(dict(content), LONGEST_VALUE), ensure_ascii=False, indent=1)
    shown = within("draft", shortened(text, LONGEST_DRAFT))
    if not findings:
        return shown
    suspected = within("suspected", "\n".join(map(_finding, findings[:MOST_FINDINGS])))
    return f"{shown}\nAn automatic check suspects:\n{suspected}"


def _finding(found: Finding) -> str:
    """One line. Both parts may quote the draft."""
    said = f"{found['field'] or '/'}: {found['detail']}"
    return sanitize(" ".join(said.split()), LONGEST_FINDING, data=True)


def feedback_text(text: str) -> str:
    """Feedback for the next attempt; the empty string where there is none, or nothing harmless is left of it."""
    told = sanitize(text, LONGEST_FEEDBACK, data=True)
    return within("feedback", told) if told else ""


def name(text: str) -> str:
    """A name that an admin or a caller gave."""
    return sanitize(" ".join(text.split()), LONGEST_NAME)


def subcategory_text(subcategory: Subcategory) -> str:
    return f"{name(subcategory.name)} ({subcategory.slug})"


def categories() -> str:
    """All subcategories, a line each. One query."""
    known = Subcategory.objects.select_related("category").order_by("category__name", "name", "slug")
    return "\n".join(f"- {found.slug}: {name(found.name)} ({name(found.category.name)})" for found in known)


def shortened(text: str, limit: int) -> str:
    """The text, or its two ends and how much was left out between them."""
    if len(text) <= limit:
        return text
    half = (limit - 60) // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
