"""What is wrong with a page of any shape, held against its source."""

from collections.abc import Iterator, Mapping
from typing import Any

from generation.flows.editorial.check import blocks, paragraphs
from generation.flows.editorial.names import holds
from generation.providers.demo.compare import Difference
from generation.providers.demo.editorial.compose import compose
from generation.providers.demo.editorial.topics import FIGURE, FULL_NAME
from generation.providers.demo.faults import Fault

PARTS = {
    "credits": "credits",
    "quote": "a quote",
    "hashtags": "hashtags",
    "person": "a person",
    "product": "a product",
}
HALF = 0.5  # of the paragraphs; whoever has no more has given up


def differences(record: Mapping[str, Any], source: str) -> list[Difference]:
    """Every mistake; an empty list for the faultless page. field: a JSON pointer, or the name of a part."""
    return [*_told(record, source), *_form(record), *_parts(record, source)]


def names_beyond(record: Mapping[str, Any], source: str) -> list[str]:
    """Full names in the page that its source does not have."""
    found = (name for _, text in _texts(record) for name in FULL_NAME.findall(text))
    return [name for name in dict.fromkeys(found) if not holds(source, name)]


def _told(record: Mapping[str, Any], source: str) -> Iterator[Difference]:
    known = set(FIGURE.findall(source))
    for pointer, text in _texts(record):
        for name in FULL_NAME.findall(text):
            if not holds(source, name):
                yield Difference(Fault.WRONG_INFORMATION, pointer, f"{name} is invented: no topic has that name.")
        for figure in FIGURE.findall(text):
            if figure not in known:
                yield Difference(Fault.UNIT_SLIP, pointer, f"The figure {figure} stands in no topic.")


def _form(record: Mapping[str, Any]) -> Iterator[Difference]:
    listed = record.get("blocks")
    for at, block in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(block, Mapping) or block.get("type") != "body_text":
            continue
        parts = block.get("paragraphs")
        if not isinstance(parts, list):
            yield Difference(Fault.LOOSE_FORM, f"/blocks/{at}", "The form is wrong: paragraphs is no list.")
        elif any(isinstance(part, str) and "**" in part for part in parts):
            yield Difference(Fault.LOOSE_FORM, f"/blocks/{at}", "The form is loose: marks of layout in the text.")


def _parts(record: Mapping[str, Any], source: str) -> Iterator[Difference]:
    clean = compose(source)
    if isinstance(record.get("blocks"), list) and len(paragraphs(record)) <= HALF * len(paragraphs(clean)):
        if not any(found.fault == Fault.LOOSE_FORM for found in _form(record)):
            yield Difference(
                Fault.GIVING_UP, "body text", "The page is incomplete: most of the topics is passed over."
            )
        return
    for kind, words in PARTS.items():
        if blocks(clean, kind) and not blocks(record, kind):
            yield Difference(Fault.MISSING, kind, f"Missing: {words}, which the topics give.")


def _texts(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every text that a reader reads, with its pointer; tags and addresses are none."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        if value.get("type") in ("hashtags", "credits"):
            return
        for key, part in value.items():
            if key not in ("type", "mentions"):
                yield from _texts(part, f"{pointer}/{key}")
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from _texts(part, f"{pointer}/{at}")
