"""The import: runs from JSON lines, and past reviews along with them, so that learning starts warm."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import AliasChoices as Names
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from generation import runs
from generation.batches import create_many
from generation.errors import BadInput, Problems, shown
from generation.given import far_numbers, refuse_unstorable
from generation.intake import RunIn, parse
from generation.models import Draft, Run, Status, Subcategory
from review import history, summaries
from review.models import DECIDED, Decision, ReviewEvent
from review.normalise import names_at, notes_at, to_bool
from review.people import reviewer_named, username_of

CHUNK = 500  # lines in one transaction
IMPORTER = "import"  # who reviewed, where a past review names nobody

Signal = Annotated[bool | None, BeforeValidator(to_bool)]


class PastReview(BaseModel):
    """One past review of a line. Nothing but the decision is needed."""

    model_config = ConfigDict(extra="forbid")

    decision: Decision
    information_present: Signal = None
    missing_spec: list[str | None] = Field(default_factory=list)
    bad_format: Signal = None
    wrong_information: Signal = None
    wrong_physical_dimensions: Signal = None
    notes: str = ""
    subcategory: str | None = None
    reviewer: str | None = None
    at: AwareDatetime | None = Field(default=None, validation_alias=Names("at", "created_at"))


@dataclass
class Chunk:
    """What became of the next lines of the file."""

    lines: int = 0  # read so far, from the file's start
    queued: int = 0
    adopted: int = 0  # with the record that they brought
    reviews: int = 0
    refused: list[tuple[int, BadInput]] = field(default_factory=list)  # by line number, from 1


@dataclass(frozen=True)
class Line:
    """A line of good form. `output` is None where the run is still to be generated."""

    number: int
    body: RunIn
    output: Any
    reviews: list[PastReview]


def import_lines(
    lines: Iterable[bytes], *, flow: str, name: str, author: User | None = None, economy: bool = False
) -> Iterator[Chunk]:
    """Take in the good lines, chunk by chunk, and tell the bad ones by number. Blank lines are none.

    economy: as `create_many` has it; BadInput.
    """
    numbered = enumerate(lines, start=1)
    while some := list(islice(numbered, CHUNK)):
        chunk = Chunk(lines=some[-1][0])
        with transaction.atomic():
            part = f"{name}, lines {some[0][0]} to {chunk.lines}"
            _take(chunk, list(_read(chunk, some, flow)), part, author, economy)
        chunk.refused.sort(key=lambda refusal: refusal[0])
        yield chunk


def _read(chunk: Chunk, some: list[tuple[int, bytes]], flow: str) -> Iterator[Line]:
    for number, raw in some:
        if not raw.strip():
            continue
        try:
            yield _line(number, raw, flow)
        except BadInput as error:
            chunk.refused.append((number, error))


def _line(number: int, raw: bytes, flow: str) -> Line:
    try:
        body = json.loads(raw.decode("utf-8-sig").strip())
    except UnicodeDecodeError:
        raise BadInput.at("", _("not UTF-8")) from None
    except json.JSONDecodeError as error:
        words = {"what": error.msg, "column": error.colno}
        raise BadInput.at("", _("not JSON: %(what)s, at character %(column)d") % words) from None
    except (ValueError, RecursionError):
        raise BadInput.at("", _("not JSON that can be read")) from None
    if not isinstance(body, dict):
        raise BadInput.at("", _("not a JSON object"))
    refuse_unstorable(body)
    output, reviews = body.pop("output", None), body.pop("reviews", None)
    if far := list(far_numbers(output, ("output",))):
        raise BadInput(*far)
    if reviews and output is None:
        raise BadInput.at("/output", _("past reviews need the record that they are about"))
    return Line(number, parse({"flow": flow} | body), output, _past_reviews(reviews))


def _past_reviews(given: Any) -> list[PastReview]:
    """The reviews in the order of their times; one without a time counts as made now."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadInput.at("/reviews", _("not a list"))
    now = timezone.now()
    reviews = [_past_review(review, f"/reviews/{index}", now) for index, review in enumerate(given)]
    return sorted(reviews, key=lambda review: review.at or now)


def _past_review(given: Any, pointer: str, now: datetime) -> PastReview:
    try:
        review = PastReview.model_validate(given)
    except ValidationError as error:
        raise BadInput.from_pydantic(error, pointer) from None
    if review.at is not None and review.at > now:
        raise BadInput.at(f"{pointer}/at", _("lies in the future"))
    if review.reviewer is not None and not username_of(review.reviewer):
        raise BadInput.at(f"{pointer}/reviewer", _("is no name"))
    wrong = Problems()
    with wrong.gathered():
        review = review.model_copy(
            update={"missing_spec": names_at(review.missing_spec, f"{pointer}/missing_spec")}
        )
    with wrong.gathered():
        notes_at(review.notes, f"{pointer}/notes")
    wrong.refuse()
    return review


def _take(chunk: Chunk, good: list[Line], name: str, author: User | None, economy: bool) -> None:
    to_make = [line for line in good if line.output is None]
    if to_make:
        bodies = [line.body for line in to_make]
        _batch, made, bad = create_many(bodies, name=name, author=author, economy=economy)
        chunk.queued = len(made)
        chunk.refused += [(to_make[index].number, error) for index, error in bad]
    for line in good:
        if line.output is None:
            continue
        try:
            with transaction.atomic():
                _adopt(line, author)
        except BadInput as error:
            chunk.refused.append((line.number, error))
        else:
            chunk.adopted += 1
            chunk.reviews += len(line.reviews)


def _adopt(line: Line, author: User | None) -> None:
    """The run as the last review left it. One that was sent back awaits review: its next round is yet to come."""
    made_at = line.reviews[0].at if line.reviews else None
    run = runs.adopt(line.body, line.output, made_at=made_at, author=author)
    if not line.reviews:
        return
    draft = run.drafts.get()
    last_round = 1 + sum(review.decision == Decision.REVISE for review in line.reviews[:-1])
    round = 1
    for sequence, review in enumerate(line.reviews, start=1):
        event = _keep(run, draft if round == last_round else None, review, sequence, round)
        round += review.decision == Decision.REVISE
    run.round = last_round
    run.status = DECIDED.get(Decision(event.decision), Status.AWAITING_REVIEW)
    run.changed_at = event.created_at
    run.latest_review = summaries.of_event(event)
    run.save(update_fields=["round", "status", "changed_at", "latest_review", "subcategory"])
    history.recount(run.pk)


def _keep(run: Run, draft: Draft | None, review: PastReview, sequence: int, round: int) -> ReviewEvent:
    """The event of one past review. Only the last round's record came along; earlier ones have none."""
    event = ReviewEvent.objects.create(
        **review.model_dump(exclude={"reviewer", "at", "subcategory"}),
        run=run,
        draft=draft,
        round=round,
        sequence=sequence,
        reviewer=reviewer_named(review.reviewer or IMPORTER),
        corrections=_correct(run, review.subcategory),
        created_at=review.at or Now(),
    )
    event.refresh_from_db(fields=["created_at"])
    return event


def _correct(run: Run, slug: str | None) -> dict[str, Any]:
    """Put the run where the review says it belongs; the structured difference, empty where there is none."""
    before = run.subcategory.slug if run.subcategory else None
    if slug in (None, before):
        return {}
    run.subcategory = Subcategory.objects.filter(slug=slug).first()
    if run.subcategory is None:
        raise BadInput.at("/reviews", _("unknown subcategory %(slug)s") % {"slug": shown(slug or "")})
    return {"subcategory": {"from": before, "to": slug}}
