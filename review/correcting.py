"""Values that a reviewer corrects in place: the record with them, and what they changed.

A correction is a JSON pointer to a value that stands in the record, and what shall stand there instead: JSON from
callers, text from pages. Text becomes what the field takes, as the flow's schema says.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Max
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from generation import errors
from generation.errors import BadInput, FieldProblem, Problems, said
from generation.flows.order import correctable_of, schema_of
from generation.given import far_numbers, is_far
from generation.models import Draft
from generation.reading import storable
from review.normalise import to_bool

MOST = 500  # values of one review
LONGEST = 20_000  # characters of one value, as JSON
TWO_WAYS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")  # 1.900 is 1.9 or 1900, depending on who wrote it

Problem = tuple[tuple[str, ...], str]  # where in the record, and the kind of what is wrong there


def values_at(values: Mapping[str, Any]) -> dict[str, Any]:
    """The corrections as they may be stored; BadInput names what is beyond the limits."""
    if len(values) > MOST:
        words = {"most": MOST, "count": len(values)}
        raise BadInput.at("/corrections", _("At most %(most)d values; these are %(count)d.") % words)
    kept, wrong = {}, Problems()
    for place, value in values.items():
        text = json.dumps(value, ensure_ascii=False)
        if len(place) + len(text) > LONGEST:
            wrong.append(FieldProblem(pointer_to(place), _("At most %d characters.") % LONGEST))
        elif storable(place + text) != place + text or "\\u0000" in text:
            unkept = _("Null characters and half surrogates cannot be stored.")
            wrong.append(FieldProblem(pointer_to(place), unkept))
        else:
            wrong += islice(far_numbers(value, ("corrections", place)), 1)
        kept[place] = value.replace("\r\n", "\n") if isinstance(value, str) else value
    wrong.refuse()
    return kept


def pointer_to(place: str) -> str:
    """Where in a body a correction stands: under `corrections`, by the whole pointer as its name."""
    return errors.pointer(("corrections", storable(place)))


def place_of(found: str) -> str:
    """What `pointer_to` was made of; empty where it is about all corrections."""
    return found.removeprefix("/corrections").removeprefix("/").replace("~1", "/").replace("~0", "~")


def corrected(flow: str, content: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The record with all of the values in their places.

    BadInput names each that is not in the record, may not be corrected, or is nothing that its field takes. What
    was wrong with the record before is no reason to refuse.
    """
    schema, allowed = schema_of(flow), correctable_of(flow)
    touched = [place.split("/")[1:] for place, value in values.items() if _differs(content, place, value)]
    known = {found for found in _wrong(content, schema) if not any(_meet(found[0], parts) for parts in touched)}
    record, wrong = deepcopy(dict(content)), Problems()
    for place, value in values.items():
        parts = place.split("/")[1:]
        try:
            if not any(fnmatchcase(place, pattern) for pattern in allowed):
                raise LookupError
            record = _with(record, parts, value, schema, known)
        except LookupError:
            wrong.append(FieldProblem(pointer_to(place), _("The record has no such value to correct.")))
        except ValueError as error:
            wrong.append(FieldProblem(pointer_to(place), str(error)))
    for steps, wrong_there in () if wrong else _new(record, schema, known):
        wrong.append(FieldProblem(pointer_to(f"/{'/'.join(steps)}"), wrong_there))
    wrong.refuse()
    return record


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What differs at the corrected places: [{"pointer", "label", "from", "to"}], in the order of the pointers."""
    found = []
    for pointer in sorted(values):
        parts = pointer.split("/")[1:]
        was, now = at(before, parts), at(after, parts)
        if was != now:
            found.append({"pointer": pointer, "label": label_at(before, parts), "from": was, "to": now})
    return found


def keep_corrected(
    draft: Draft, content: dict[str, Any], values: Mapping[str, Any], *, author: User | None
) -> Draft:
    """Store the record with the corrected values; what the check found elsewhere still stands.

    The caller holds the run's lock.
    """
    newest = Draft.objects.filter(run=draft.run_id).aggregate(newest=Max("revision"))["newest"]
    return Draft.objects.create(
        run_id=draft.run_id,
        revision=newest + 1,
        round=draft.round,
        content=content,
        findings=[found for found in draft.findings if not _concerns(str(found.get("field", "")), values)],
        made_by="person",
        author=author,
    )


def _concerns(field: str, values: Mapping[str, Any]) -> bool:
    """Whether a finding is about one of the corrected values: at it, or at the part that it belongs to."""
    return any(pointer == field or pointer.startswith(f"{field}/") for pointer in values) and field != ""


def at(content: Any, parts: Sequence[str]) -> Any:
    """The value at a place; None where there is none."""
    try:
        for part in parts:
            content = content[int(part)] if isinstance(content, list) else content[part]
    except (LookupError, TypeError, ValueError):
        return None
    return content


def label_at(content: Mapping[str, Any], parts: Sequence[str]) -> str:
    """What people call the value: the name that stands beside it, else where it is."""
    holder = at(content, parts[:-1])
    last = "" if parts[-1] == "value" else parts[-1].replace("_", " ")
    name = holder.get("name") if len(parts) > 1 and isinstance(holder, Mapping) else None
    if isinstance(name, str) and last != "name":
        return f"{name} {last}".strip()
    words = [str(int(part) + 1) if part.isdecimal() else part.replace("_", " ") for part in (*parts[:-1], last)]
    return " ".join(words[-3:]).strip().capitalize()


def as_text(value: Any) -> str:
    """A value as it stands in the field where it is corrected; a list of texts has one a line."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _with(
    record: dict[str, Any], parts: Sequence[str], value: Any, schema: type[BaseModel] | None, known: set[Problem]
) -> dict[str, Any]:
    """The record with one value in place. LookupError: no such place; ValueError: not a value for it."""
    was, wrong = _present(record, parts, schema), ""
    if isinstance(was, Mapping) or (isinstance(was, list) and not all(isinstance(item, str) for item in was)):
        raise LookupError  # parts of the record are corrected value by value
    if _says(value, was):
        return record
    for candidate in _candidates(was, value):
        trial = deepcopy(record)
        _put(trial, parts, candidate)
        found = [words for place, words in _new(trial, schema, known) if _meet(place, parts)]
        if not found or _waits(trial, parts, schema, known):
            return trial
        wrong = wrong or found[0]
    raise ValueError(wrong)


def _says(value: Any, was: Any) -> bool:
    """Whether it is what stands there already."""
    return (type(value) is type(was) and value == was) or (isinstance(value, str) and value == as_text(was))


def _differs(content: Mapping[str, Any], pointer: str, value: Any) -> bool:
    return not _says(value, at(content, pointer.split("/")[1:]))


def _meet(place: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one is the other, or within it; what concerns the whole record is within nothing."""
    return bool(place) and all(a == b for a, b in zip(place, other, strict=False))


def _waits(
    record: Mapping[str, Any], parts: Sequence[str], schema: type[BaseModel] | None, known: set[Problem]
) -> bool:
    """Whether all that is wrong is a part beside this one that is still to come: a unit to its value."""
    places = [place for place, _words in _new(record, schema, known)]
    return all(place[:-1] == tuple(parts[:-1]) and place != tuple(parts) for place in places)


def _present(record: Mapping[str, Any], parts: Sequence[str], schema: type[BaseModel] | None) -> Any:
    """What is in a place now; None also for a part of something that is not given."""
    here: Any = record
    for number, part in enumerate(parts):
        if isinstance(here, list):
            if not part.isdecimal() or int(part) >= len(here):
                raise LookupError
            here = here[int(part)]
        elif isinstance(here, Mapping):
            if part not in here and number == 0 and (schema is None or part not in schema.model_fields):
                raise LookupError
            here = here.get(part)
        elif here is None and number == len(parts) - 1 and part in ("value", "unit"):
            return None
        else:
            raise LookupError
    return here


def _put(record: Any, parts: Sequence[str], value: Any) -> None:
    holder: Any = record
    for number, part in enumerate(parts[:-1]):
        key: Any = int(part) if isinstance(holder, list) else part
        if number == len(parts) - 2 and (isinstance(holder, list) or key in holder) and holder[key] is None:
            holder[key] = {}
        holder = holder.setdefault(key, {}) if isinstance(holder, dict) else holder[key]
    holder[int(parts[-1]) if isinstance(holder, list) else parts[-1]] = value


def _candidates(was: Any, value: Any) -> Iterator[Any]:
    """What may be meant, the likeliest first: what the field held before says how a text is read."""
    if not isinstance(value, str):
        yield value
        return
    text = value.strip()
    if isinstance(was, int | float) and TWO_WAYS.fullmatch(text):
        raise ValueError(_("%s can be read in two ways: write it without the sign, or with more digits.") % text)
    number = _number(text)
    if isinstance(was, list):
        yield [line for part in value.splitlines() if (line := part.strip())]
    if isinstance(was, bool) and (meant := to_bool(text)) is not None:
        yield meant
    if number is not None and not isinstance(was, str):
        yield number
    if not text:
        yield None
    yield value
    if number is not None:
        yield number


def _number(text: str) -> int | float | None:
    """18, 1.5 or 1,5; nothing that could be read in two ways."""
    plain = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        found = float(plain)
    except ValueError:
        return None
    return None if is_far(found) or found != found else found  # nor is infinity or no number a value


def _new(
    record: Mapping[str, Any], schema: type[BaseModel] | None, known: set[Problem]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with the record that was not before: place and words."""
    for (place, kind), words in _wrong(record, schema).items():
        if (place, kind) not in known:
            yield place, words


def _wrong(record: Mapping[str, Any], schema: type[BaseModel] | None) -> dict[Problem, str]:
    if schema is None:
        return {}
    try:
        schema.model_validate_json(json.dumps(record))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return {(_place(record, one["loc"]), one["type"]): said(one["msg"]) for one in found}
    return {}


def _place(record: Any, steps: Sequence[object]) -> tuple[str, ...]:
    """Where pydantic means, without the names of alternatives that it puts between."""
    place: list[str] = []
    for number, step in enumerate(steps):
        inside = isinstance(step, int) and isinstance(record, list) and step < len(record)
        if inside or (isinstance(record, Mapping) and step in record):
            record = record[step]
            place.append(str(step))
        elif number == len(steps) - 1 and isinstance(record, Mapping):
            place.append(str(step))  # what is missing
    return tuple(place)
