"""The body of `POST /runs`: what a caller may say, and what is wrong with it."""

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from generation.errors import BadInput, FieldProblem, pointer
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.reading import DEEPEST, nests_deeper, storable

MOST_FIXES = 20
LATER = {"economy"}  # options that came after digests were stored; one that is not given is no part of them
Slug = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
# We answer null where there is none, so null is taken back.
NoneIsEmpty = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class Options(BaseModel):
    """What a request sets for its run; null leaves it to the installation."""

    model_config = ConfigDict(extra="forbid")

    review: bool | None = Field(default=None, description="Whether the automated judge looks at the record.")
    review_max_fix_attempts: int | None = Field(
        default=None, ge=0, le=MOST_FIXES, description="How often a failed record is mended at most; 0: never."
    )
    economy: bool | None = Field(
        default=None,
        description="Made by the provider's batch interface, at half the price, each step within a day; later"
        " rounds, which a person asks for, are not. Refused where the provider has no such interface.",
    )


class RunIn(BaseModel):
    """One run to be made. `source` has the shape that the flow asks for."""

    model_config = ConfigDict(extra="forbid")

    flow: str = Field(examples=["item"], json_schema_extra={"enum": list(FLOWS)})
    subcategory: Slug | None = Field(default=None, description="Slug. Without one the flow finds it.")
    institution: Slug | None = Field(default=None, description="Slug.")
    external_id: NoneIsEmpty = Field(default="", max_length=200)
    source: dict[str, Any] = Field(
        examples=[{"title": "Makita DHP484", "text": "18 V cordless drill, 54 Nm, 1,8 kg"}]
    )
    metadata: dict[str, Any] = Field(default_factory=dict, description="Stored and given back, never read.")
    options: Options = Field(default_factory=Options)

    def digest(self) -> str:
        """The same for the same body, whatever the order of its fields, and by later versions of this code."""
        body = self.model_dump(mode="json")
        for name in LATER & body["options"].keys():
            if body["options"][name] is None:
                del body["options"][name]
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def parse(body: Any) -> RunIn:
    """The checked body; BadInput names every bad field by a JSON pointer, those of `source` too."""
    refuse_unstorable(body)
    try:
        parsed = body if isinstance(body, RunIn) else RunIn.model_validate(body)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, known=RunIn.model_fields) from None
    check_source(parsed)
    return parsed


def check_source(body: RunIn) -> None:
    """BadInput where the flow is unknown or its source has another shape."""
    model = flow_named(body.flow).source
    try:
        model.model_validate(body.source)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, "/source", model.model_fields) from None


def refuse_unstorable(value: Any) -> None:
    """BadInput for strings that PostgreSQL cannot hold (NUL, half surrogate pairs), for numbers that JSON does not
    know, and for what nests too deep; every place is named.
    """
    given = value.model_dump() if isinstance(value, BaseModel) else value
    if _plainly_storable(given):
        return
    problems = list(_unstorable(given))
    if problems:
        raise BadInput(*problems)


def _plainly_storable(value: Any) -> bool:
    """Settles nearly every body, in a fraction of the time that looking at each of its texts takes."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return "\\u0000" not in text and not nests_deeper(value, DEEPEST)


def _unstorable(value: Any, place: tuple[object, ...] = ()) -> Iterator[FieldProblem]:
    if len(place) > DEEPEST:
        yield FieldProblem(pointer(place), f"Nested deeper than {DEEPEST} levels.")
    elif isinstance(value, str):
        if storable(value) != value:
            yield FieldProblem(pointer(place), "A text may hold neither NUL nor half a surrogate pair.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield FieldProblem(pointer(place), "A number must be finite.")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unstorable(str(key), place)
            yield from _unstorable(item, (*place, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unstorable(item, (*place, index))
