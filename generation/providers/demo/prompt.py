"""What a prompt says, as the demo reads it: the data between its tags, and the words around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from generation.providers.base import Request
from generation.reading import first_object

DATA = ("source", "draft", "feedback", "suspected")
BLOCK = re.compile(rf"<({'|'.join(DATA)})>\n?(.*?)\n?</\1>", re.DOTALL)
QUOTE = re.compile(r"<quote-(?P<mark>[0-9a-f]{6,64})\b[^>\n]*>\n?(?P<text>.*?)\n?</quote-(?P=mark)>", re.DOTALL)
CATEGORY = re.compile(r"^- (?P<slug>[\w-]+): (?P<name>.+?)(?: \((?P<category>.+)\))?$", re.MULTILINE)
SUBCATEGORY = re.compile(r"^Subcategory: (?P<name>\S.*?)(?: \([\w-]+\))?$", re.MULTILINE)


@dataclass(frozen=True)
class Category:
    slug: str
    name: str
    category: str


class Prompt:
    """One request, read. No block: the empty string."""

    def __init__(self, request: Request) -> None:
        self.stage = request.stage
        user = request.user
        self._blocks = dict(reversed(list(_blocks(user))))
        self.instructions = f"{request.system}\n{BLOCK.sub('', user)}"

    @property
    def source(self) -> str:
        return self._blocks.get("source", "")

    def block(self, name: str) -> str:
        """The text of one of the blocks of data."""
        return self._blocks.get(name, "")

    @property
    def feedback(self) -> str:
        """What a judge, the automatic check and a reviewer's note say about this record."""
        quotes = "\n".join(found["text"] for found in QUOTE.finditer(self.instructions))
        return "\n".join(filter(None, (self._blocks.get("feedback"), self._blocks.get("suspected"), quotes)))

    @property
    def subcategory(self) -> str:
        """Its name, as "Subcategory: Cordless drills (cordless-drills)" tells."""
        found = SUBCATEGORY.search(self.instructions)
        return found["name"] if found else ""

    @cached_property
    def draft(self) -> dict[str, Any] | None:
        return first_object(self._blocks.get("draft", ""))

    @property
    def turn(self) -> str:
        """Tells one asking from the next: a new draft or new feedback may get another answer, the same never."""
        said = self._blocks.get("draft", "") + "\x1f" + self.feedback
        return sha256(said.encode("utf-8", "replace")).hexdigest()

    def categories(self) -> list[Category]:
        found = CATEGORY.finditer(self.instructions)
        return [Category(line["slug"], line["name"], line["category"] or "") for line in found]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    for found in BLOCK.finditer(text):
        yield found.group(1), found.group(2)
