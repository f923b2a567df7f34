"""The columns of an export's table, with what stands in them."""

from dataclasses import dataclass
from typing import Any, Literal

Type = Literal["text", "integer", "number", "boolean", "time", "json", "texts", "messages"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """texts: a list of texts. messages: a list of {"role", "content"}. json: whatever JSON can hold."""

    name: str
    type: Type = "text"


def columns(**types: Type) -> tuple[Column, ...]:
    """In the order given."""
    return tuple(Column(name, kind) for name, kind in types.items())


SIGNAL_COLUMNS = columns(
    information_present="boolean",
    bad_format="boolean",
    wrong_information="boolean",
    wrong_physical_dimensions="boolean",
    missing_spec="texts",
)
