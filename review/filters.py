"""What a list is narrowed to, as it stands in its address."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from urllib.parse import urlencode
from uuid import UUID

from generation.models import JudgeOutcome, Status
from generation.reading import storable

VIEWS = ("waiting", "aside", "progress", "failed", "reviewed", "all")
LONGEST = {"text": 200, "cursor": 500}


@dataclass(frozen=True)
class Filters:
    """Each a parameter of the address; empty: not narrowed by it.

    holder and reviewer: a user name, or "me"; holder also "nobody". after and before: a day or a time, UTC where
    it names no zone; `after` is included and `before` is not.
    """

    view: str = "waiting"
    status: str = ""
    flow: str = ""
    subcategory: str = ""
    batch: str = ""
    institution: str = ""
    outcome: str = ""
    holder: str = ""
    reviewer: str = ""
    after: str = ""
    before: str = ""
    text: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Filters":
        """What cannot be read is left away, and so is what no database can hold."""
        read = {name: storable(given.get(name, "")[: LONGEST.get(name, 100)]).strip() for name in NAMES}
        return cls(
            **read
            | {
                "view": read["view"] if read["view"] in VIEWS else "waiting",
                "status": read["status"] if read["status"] in Status.values else "",
                "outcome": read["outcome"] if read["outcome"] in JudgeOutcome.values else "",
                "batch": read["batch"] if _is_uuid(read["batch"]) else "",
                "after": read["after"] if moment(read["after"]) else "",
                "before": read["before"] if moment(read["before"]) else "",
            }
        )

    def set(self) -> Iterator[tuple[str, str]]:
        """The filters that narrow, by name."""
        for name, value in asdict(self).items():
            if value and name not in ("view", "cursor"):
                yield name, value

    def without(self, *names: str) -> "Filters":
        return replace(self, **dict.fromkeys(names, ""))

    @property
    def query(self) -> str:
        """As an address names it, without a place in the list: what a saved view keeps."""
        wanted = {"view": "" if self.view == "waiting" else self.view} | dict(self.set())
        return urlencode({key: value for key, value in wanted.items() if value})

    def address(self, **changes: str) -> str:
        """The query string with something changed; the cursor never outlives a change."""
        changed = replace(self, **{"cursor": ""} | changes)
        cursor = urlencode({"cursor": changed.cursor}) if changed.cursor else ""
        return "?" + "&".join(part for part in (changed.query, cursor) if part)


NAMES = tuple(field.name for field in fields(Filters))


def moment(text: str) -> datetime | None:
    """A day or a time of ISO 8601; None where it is neither."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
