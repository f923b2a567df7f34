"""The body of `POST /runs`: what a caller may say, and what is wrong with it."""

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
)

from generation.errors import BadInput, FieldProblem, Problems, problems_of
from generation.flows import FLOWS
from generation.flows import flow as flow_named
from generation.given import far_numbers, refuse_unstorable, size

MOST_FIXES, LONGEST_SLUG = 20, 100
MOST_METADATA = 64 * 1024  # bytes: lists carry it whole
LATER = {"economy"}  # options that came after digests were stored; one that is not given is no part of them
Slug = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_SLUG)]
# We answer null where there is none, so null is taken back.
NoneIsEmpty = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class Options(BaseModel):
    """What a request sets for its run; null leaves it to the installation."""

    model_config = ConfigDict(extra="forbid")

    review: StrictBool | None = Field(default=None, description="Whether the automated judge looks at the record.")
    review_max_fix_attempts: StrictInt | None = Field(
        default=None, ge=0, le=MOST_FIXES, description="How often a failed record is mended at most; 0: never."
    )
    economy: StrictBool | None = Field(
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
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="Stored and given back, never read. At most 64 KB: 65,536 bytes of JSON in UTF-8 without"
        " spaces between, its numbers written out. A number is from 1e-40 to 1e40, or 0.",
    )
    options: Options = Field(default_factory=Options)

    def digest(self) -> str:
        """The same for the same body, whatever the order of its fields, and by later versions of this code."""
        body = self.model_dump(mode="json")
        for name in LATER & body["options"].keys():
            if body["options"][name] is None:
                del body["options"][name]
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def parse(body: Any, *, storable: bool = False) -> RunIn:
    """The checked body; BadInput names every bad field by a JSON pointer, those of `source` too.

    storable: whether the database is known to hold all of it.
    """
    if not storable:
        refuse_unstorable(body)
    given = body.model_dump() if isinstance(body, RunIn) else body
    wrong = Problems()
    try:
        parsed = body if isinstance(body, RunIn) else RunIn.model_validate(body)
    except ValidationError as error:
        wrong += problems_of(error, known=RunIn.model_fields)
    if isinstance(given, dict):
        with wrong.gathered():
            _check_source(given.get("flow"), given.get("source"))
        wrong += _of_metadata(given.get("metadata"))
    wrong.refuse()
    return parsed


def check_source(body: RunIn) -> None:
    """BadInput where the flow is unknown or its source has another shape."""
    _check_source(body.flow, body.source)


def _check_source(flow: Any, source: Any) -> None:
    """What is of another type is told by the body's own check."""
    if not isinstance(flow, str):
        return
    model = flow_named(flow).source
    if not isinstance(source, dict):
        return
    try:
        model.model_validate(source)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, "/source", model.model_fields) from None
    if far := list(far_numbers(source, ("source",))):
        raise BadInput(*far)


def _of_metadata(given: Any) -> Iterator[FieldProblem]:
    if not given or not isinstance(given, dict):
        return
    count = size(given, MOST_METADATA)
    if count > MOST_METADATA:
        words = f"At most {MOST_METADATA} bytes of JSON, its numbers written out; these are {count}."
        yield FieldProblem("/metadata", words)
    else:
        yield from far_numbers(given, ("metadata",))
