"""The record of the item flow, and what its categorizer answers."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StringConstraints

# Strict: "1.900" is 1.9 or 1900, depending on who wrote it, and nobody may decide that silently.
Number = StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Specification(Part):
    """One property of the product, its value apart from its unit."""

    name: Text
    value: str | Number | None = Field(description="null where the source does not say")
    unit: str | None = Field(default=None, description="unit symbol, null where the value has none")


class Measure(Part):
    """A physical size."""

    value: Number = Field(description="a plain number: no unit, no thousands separator")
    unit: Text = Field(description="unit symbol, e.g. mm, cm, m, in, g, kg")


class Dimensions(Part):
    """Physical dimensions of the product itself, null where unknown."""

    length: Measure | None = None
    width: Measure | None = None
    height: Measure | None = None
    depth: Measure | None = None
    diameter: Measure | None = None
    weight: Measure | None = None


class Item(Part):
    """A product."""

    name: Text
    description: str | None = None
    specifications: list[Specification] = Field(default_factory=list)
    dimensions: Dimensions = Field(default_factory=Dimensions)
    sources: list[str] = Field(
        default_factory=list, description="where the facts come from: URLs, or 'source' for the given text"
    )


class Categorized(Part):
    """The categorizer's answer: the slug of one of the listed subcategories, null where none fits."""

    subcategory: str | None
