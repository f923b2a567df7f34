"""The record of the editorial flow: a magazine page as blocks, each of the kind that its `type` names."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Hero(Part):
    """The opening, set large: a line or two that draw the reader in."""

    type: Literal["hero"]
    text: Text
    caption: str | None = None


class Headline(Part):
    """A heading between parts of the story."""

    type: Literal["headline"]
    text: Line


class BodyText(Part):
    """Running text."""

    type: Literal["body_text"]
    paragraphs: list[str] = Field(description="one entry per paragraph, plain text")


class Quote(Part):
    """What somebody said, in the words of a topic."""

    type: Literal["quote"]
    text: Text
    speaker: str | None = None


class Person(Part):
    """Somebody whom the topics name."""

    type: Literal["person"]
    name: Line
    occupation: str | None = Field(default=None, description="what the person is, in a few words")
    text: str | None = None


class Product(Part):
    """A product or a brand that the topics name."""

    type: Literal["product"]
    name: Line
    brand: str | None = None
    text: str | None = None
    price: str | None = Field(default=None, description="as a topic gives it, with its currency; else null")


class Hashtags(Part):
    type: Literal["hashtags"]
    tags: list[str] = Field(description="without the sign #")


class Divider(Part):
    """A pause between two parts."""

    type: Literal["divider"]


class Credits(Part):
    """Whom and what the story owes to."""

    type: Literal["credits"]
    lines: list[str]


Block = Annotated[
    Hero | Headline | BodyText | Quote | Person | Product | Hashtags | Divider | Credits,
    Field(discriminator="type"),
]
Kind = Literal["person", "product", "brand"]


class Mention(Part):
    """A name in the story, and the number of the topic that it comes from; null where no topic has it."""

    name: Line
    kind: Kind
    topic: int | None = Field(default=None, description="as the source numbers its topics, from 1")


class Layout(Part):
    """A magazine page, from top to bottom."""

    title: Line
    subtitle: str | None = None
    blocks: list[Block]


class Editorial(Layout):
    """A layout, and the names in it tied to the curated topics."""

    mentions: list[Mention] = Field(default_factory=list, description="filled in by a later step; leave it empty")


class Enriched(BaseModel):
    """What the enriching stage answers: the names that it found."""

    mentions: list[Mention]
