"""A change as prompts show it: output and diff between tags that nothing in them can close."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from generation.ends import both_ends
from generation.flows.base import Finding

LONGEST = 50_000  # characters of the output, and of the diff
MOST_FILES = 300
TAGS = re.compile(r"<(?=\s*/?\s*(?:source|draft|feedback|suspected|output|diff|files|quote-))", re.IGNORECASE)
UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})  # categories of what has no shape of its own
PARALLEL = (
    "Other agents work for the same batch at the same time: what the diff holds may be partly theirs. "
    "Judge what belongs to this work item alone."
)


def change_text(content: Mapping[str, Any], findings: list[Finding]) -> str:
    """Output and diff, 50,000 characters of each, with what the check suspects. Code stands as it was written."""
    files = content.get("files") or []
    listed = [_file(file) for file in files[:MOST_FILES]]
    listed += [f"… and {len(files) - MOST_FILES} more"] if len(files) > MOST_FILES else []
    parts = [
        _within("output", both_ends(str(content.get("output", "")), LONGEST)),
        _within("files", "\n".join(listed) or "none"),
        _within("diff", both_ends(str(content.get("diff", "")), LONGEST) or "(nothing was changed)"),
    ]
    if findings:
        parts.append(_within("suspected", "\n".join(found["detail"] for found in findings)))
    return "\n".join(["<draft>", *parts, "</draft>"])


def _file(file: Mapping[str, Any]) -> str:
    lines = "binary" if file.get("added") is None else f"+{file['added']} -{file['removed']}"
    was = f" (was {file['was']})" if file.get("was") else ""
    return f"{file.get('change')} {file.get('path')}{was}, {lines}"


def _within(tag: str, text: str) -> str:
    return f"<{tag}>\n{TAGS.sub('‹', seen(text))}\n</{tag}>"


def seen(text: str) -> str:
    """The text with what has no shape made visible: an order of signs that only seems to be so deceives nobody."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_sign(char) for char in text)


def _sign(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char) not in UNSEEN:
        return char
    return "" if char == "\r" else f"⟨U+{ord(char):04X}⟩"
