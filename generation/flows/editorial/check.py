"""What can be said of an editorial without asking anybody: its form by pydantic, its parts by counting."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from generation.flows.base import Finding
from generation.flows.editorial.names import has_words, holds, offered, text_of
from generation.flows.editorial.record import Editorial

FEWEST_PARAGRAPHS = 2


def form(content: Mapping[str, Any], source: Mapping[str, Any]) -> list[Finding]:
    """Every error of form: the schema, a title, running text with words in it. A hero may be missing."""
    found = [_finding(_pointer(loc), "schema", message) for loc, message in _errors(content)]
    if not has_words(content.get("title")) and not any(one["field"] == "/title" for one in found):
        found.append(_finding("/title", "schema", "the title has no words"))
    body = _body(content)
    told = body and any(one["field"].startswith(f"{body}/") for one in found)  # its own error says it already
    if not paragraphs(content) and not told:
        found.append(_finding(body, "no_body_text", "there is no body_text block with words in it"))
    return found


def counted(content: Mapping[str, Any], source: Mapping[str, Any]) -> list[Finding]:
    """What a whole editorial has and this one lacks.

    A person, and a product or brand, are asked for where the topics list any: elsewhere they would be made up.
    """
    text = text_of(content)
    found = []
    people = offered(source, "people")
    if people and not _named(content, ("person",), text, people):
        found.append(_lacks("no_person", f"nobody is named; the topics name {_some(people)}"))
    brands = offered(source, "brands")
    if brands and not _named(content, ("product", "brand"), text, brands):
        found.append(_lacks("no_product", f"no product or brand is named; the topics name {_some(brands)}"))
    count = len(paragraphs(content))
    if count < FEWEST_PARAGRAPHS:
        words = f"{count} of at least {FEWEST_PARAGRAPHS} paragraphs with words in them"
        found.append(_finding(_body(content), "few_paragraphs", words))
    if not any(has_words(tag) for block in blocks(content, "hashtags") for tag in _list(block.get("tags"))):
        found.append(_lacks("no_hashtags", "there are no hashtags"))
    return found


def findings(content: Mapping[str, Any], source: Mapping[str, Any]) -> list[Finding]:
    return [*form(content, source), *counted(content, source)]


def blocks(content: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """The blocks of one kind in a record of any shape."""
    listed = _list(content.get("blocks"))
    return [block for block in listed if isinstance(block, Mapping) and block.get("type") == kind]


def paragraphs(content: Mapping[str, Any]) -> list[str]:
    """The paragraphs that have words in them."""
    listed = (part for block in blocks(content, "body_text") for part in _list(block.get("paragraphs")))
    return [part for part in listed if has_words(part)]


def _named(content: Mapping[str, Any], kinds: tuple[str, ...], text: str, names: list[str]) -> bool:
    """A block of such a kind with a name, or a name of the topics in the text."""
    named = (block for kind in kinds for block in blocks(content, kind))
    return any(has_words(block.get("name")) for block in named) or any(holds(text, name) for name in names)


def _errors(content: Mapping[str, Any]) -> Iterator[tuple[tuple[int | str, ...], str]]:
    try:
        Editorial.model_validate(content)
    except ValidationError as error:
        for found in error.errors(include_url=False, include_input=False, include_context=False):
            yield found["loc"], found["msg"]


def _pointer(loc: tuple[int | str, ...]) -> str:
    """A JSON pointer. Inside a block pydantic names the kind, too: /blocks/0/quote/text is /blocks/0/text."""
    steps = list(loc)
    if len(steps) > 2 and steps[0] == "blocks":
        del steps[2]
    return "".join(f"/{step}" for step in steps)


def _body(content: Mapping[str, Any]) -> str:
    """Where running text stands, or ought to."""
    for index, block in enumerate(_list(content.get("blocks"))):
        if isinstance(block, Mapping) and block.get("type") == "body_text":
            return f"/blocks/{index}"
    return ""


def _some(names: list[str]) -> str:
    return ", ".join(names[:3])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _lacks(code: str, detail: str) -> Finding:
    return _finding("", code, detail)


def _finding(field: str, code: str, detail: str) -> Finding:
    return {"field": field, "code": code, "severity": "error", "detail": detail}
