"""Names of fields that may be missing from a record: a help for whoever fills the form."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from generation.flows.order import schema_of
from generation.models import Draft, Run, Status
from review.models import ReviewEvent
from review.normalise import fold
from review.pages.record import Sheet, label_of

SHOWN = 30
APPROVED = 10  # records that are asked for their specifications
REVIEWED = 50  # runs, the latest ones, whose reviews are asked for names


def suggestions(run: Run, content: Mapping[str, Any], laid_out: Sheet) -> list[str]:
    """Of the schema, then what approved records here have, then what was named here; nothing that is there."""
    have = {fold(row.label) for row in laid_out.rows if not row.is_unknown}
    schema = schema_of(run.flow)
    names = [row.label for group in laid_out.groups for row in group.absent]
    names += [row.label for row in laid_out.rows if row.is_unknown and not row.label[:1].isdigit()]
    names += _left_empty(schema, content) if schema else []
    if run.subcategory_id is not None:
        names += _of_approved(run) + _named_before(run)
    unique: dict[str, str] = {}
    for name in names:
        if fold(name) not in have:
            unique.setdefault(fold(name), name)
    return list(unique.values())[:SHOWN]


def _left_empty(schema: type[BaseModel], content: Mapping[str, Any]) -> list[str]:
    """Lists of the schema that the record leaves empty, and kinds of parts that a list of several kinds lacks."""
    names = []
    for name, known in schema.model_fields.items():
        value = content.get(name)
        if value in ([], {}) and name != "sources":
            names.append(label_of(name))
        if isinstance(value, list):
            there = {part.get("type") for part in value if isinstance(part, Mapping)}
            names += [label_of(kind) for kind in _kinds(known.annotation) if kind not in there]
    return names


def _kinds(annotation: Any) -> Iterator[str]:
    """The names that the models within an annotation bear in their field `type`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        kind = annotation.model_fields.get("type")
        if kind is not None and get_origin(kind.annotation) is Literal:
            yield from get_args(kind.annotation)
        return
    for part in get_args(annotation):
        yield from _kinds(part)


def _of_approved(run: Run) -> list[str]:
    """Specifications that at least two of the newest approved records have."""
    approved = Run.objects.filter(flow=run.flow, subcategory=run.subcategory_id, status=Status.APPROVED)
    newest = list(approved.order_by("-last_reviewed_at", "-id").values_list("pk", "revision")[:APPROVED])
    drafts = Draft.objects.filter(run__in=[pk for pk, _revision in newest]).order_by("-run", "-revision")
    final = dict(newest)
    count: Counter[str] = Counter()
    for run_id, revision, content in drafts.values_list("run_id", "revision", "content__specifications"):
        if final[run_id] == revision and isinstance(content, list):
            count.update(
                {str(spec.get("name")) for spec in content if isinstance(spec, dict) and spec.get("name")}
            )
    return [name for name, times in count.most_common() if times > 1]


def _named_before(run: Run) -> list[str]:
    """Fields that reviewers named in this subcategory lately, the most frequent first."""
    reviewed = Run.objects.reviewed().filter(flow=run.flow, subcategory=run.subcategory_id)
    latest = reviewed.order_by("-last_reviewed_at", "-last_review_event_id").values_list("pk", flat=True)[
        :REVIEWED
    ]
    events = ReviewEvent.objects.settled().filter(run__in=list(latest)).exclude(missing_spec=[])
    lately = events.order_by("-id").values_list("missing_spec", flat=True)
    return [name for name, _times in Counter(name for names in lately for name in names).most_common()]
