"""What somebody wants exported: its kind, form and format, and the runs that it is narrowed to."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from generation.errors import FieldProblem, Problems
from generation.flows import flow as flow_named
from generation.models import Batch, Subcategory
from generation.models.run import RunQuerySet

FORMATS = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
FORMS = ("full", "chat", "preference")  # of the training set
KINDS = ("reviews", "training", "judgements")


@dataclass(frozen=True)
class Wanted:
    """Empty or None: not narrowed by it. `since` is included, `until` is not.

    What the times are of is the kind's: a review of the run, its approval, the judgement itself.
    """

    kind: str
    format: str = "jsonl"
    form: str = ""
    flow: str = ""
    subcategory: str = ""
    batch: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    viewer_id: int | None = None  # the person whose knowledge bounds it, so that who reviews blind stays so

    @property
    def viewer(self) -> User | None:
        """To be compared with, and nothing else: it is not read."""
        return User(pk=self.viewer_id) if self.viewer_id else None

    def check(self) -> None:
        """BadInput for what there is not: a kind, a format, a form, a flow, a subcategory or a batch."""
        named = {
            "/kind": (self.kind, KINDS),
            "/format": (self.format, FORMATS),
            "/form": (self.form or "full", FORMS),
        }
        wrong = Problems(
            FieldProblem(pointer, _("One of: %(known)s.") % {"known": ", ".join(known)})
            for pointer, (given, known) in named.items()
            if given not in known
        )
        if self.form and self.kind != "training":
            wrong.append(FieldProblem("/form", _("Only of the kind `training`.")))
        with wrong.gathered():
            if self.flow:
                flow_named(self.flow)
        if self.subcategory and not Subcategory.objects.filter(slug=self.subcategory).exists():
            wrong.append(FieldProblem("/subcategory", _("There is no such subcategory.")))
        if self.batch and not Batch.objects.filter(pk=self.batch).exists():
            wrong.append(FieldProblem("/batch", _("There is no such batch.")))
        if self.since and self.until and self.since >= self.until:
            wrong.append(FieldProblem("/until", _("This is not behind `since`.")))
        wrong.refuse()

    def narrowed(self, runs: RunQuerySet) -> RunQuerySet:
        """The runs of its flow, subcategory and batch; times are the kind's own."""
        if self.flow:
            runs = runs.filter(flow=self.flow)
        if self.subcategory:
            runs = runs.filter(subcategory__slug=self.subcategory)
        return runs.filter(batch=self.batch) if self.batch else runs

    def within(self, field: str) -> dict[str, Any]:
        """The times as filters on a field."""
        wanted = {f"{field}__gte": self.since, f"{field}__lt": self.until}
        return {name: at for name, at in wanted.items() if at is not None}

    @property
    def file_name(self) -> str:
        return f"{self.kind}.{self.format}"

    @property
    def media_type(self) -> str:
        return FORMATS[self.format]

    def as_json(self) -> dict[str, Any]:
        """What is not empty, as JSON stores it."""
        return {
            name: value.isoformat() if isinstance(value, datetime) else str(value)
            for name, value in asdict(self).items()
            if value
        }

    @classmethod
    def from_json(cls, stored: dict[str, str]) -> "Wanted":
        read: dict[str, Any] = dict(stored)
        read |= {name: datetime.fromisoformat(read[name]) for name in ("since", "until") if name in read}
        if "batch" in read:
            read["batch"] = UUID(read["batch"])
        if "viewer_id" in read:
            read["viewer_id"] = int(read["viewer_id"])
        return cls(**read)
