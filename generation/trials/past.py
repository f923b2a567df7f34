"""What past runs made in their first round, before any person said a word: what a trial is set beside."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Sum

from generation.models import Call, Draft, Judgement, Run, Subcategory
from generation.models.run import IN_PROGRESS

MOST = 20  # runs of one trial


@dataclass(frozen=True)
class Sums:
    """Of calls: how many, their tokens (fresh, written to the provider's cache, read from it), cost and time."""

    calls: int = 0
    fresh: int = 0
    written: int = 0
    read: int = 0
    output_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    duration_ms: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    @property
    def input_tokens(self) -> int:
        return self.fresh + self.written + self.read


@dataclass
class Past:
    """draft: what the first reviewer saw. judgements: oldest first. asked: its calls' sums by stage."""

    draft: Draft | None = None
    judgements: list[Judgement] = field(default_factory=list)
    asked: dict[str, Sums] = field(default_factory=dict)

    @property
    def sums(self) -> Sums:
        return sum(self.asked.values(), Sums())

    @property
    def fixes(self) -> int:
        return max(0, len(self.judgements) - 1)

    @property
    def tokens(self) -> str:
        return f"{self.sums.input_tokens + self.sums.output_tokens:,}"

    @property
    def judged(self) -> Judgement | None:
        """What the judge said of the draft, the last time."""
        said = [one for one in self.judgements if self.draft is not None and one.draft_id == self.draft.pk]
        return said[-1] if said else None


def candidates(flow: str, subcategory: Subcategory, most: int = MOST) -> list[Run]:
    """Past runs with a record: those that people reviewed last, then the newest others. Two bounded queries."""
    made = Run.objects.filter(flow=flow, subcategory=subcategory, revision__gte=1).exclude(status__in=IN_PROGRESS)
    reviewed = list(made.reviewed().order_by("-last_reviewed_at", "-last_review_event_id")[:most])
    others = made.filter(last_review_event_id__isnull=True).order_by("-created_at", "-id")
    return reviewed + list(others[: most - len(reviewed)])


def past(run_ids: Iterable[UUID]) -> dict[UUID, Past]:
    """Of each of these runs. Three queries."""
    ids = list(run_ids)
    found = {run_id: Past() for run_id in ids}
    made = Draft.objects.filter(run__in=ids, round=1, author__isnull=True)
    for draft in made.order_by("run", "revision"):
        found[draft.run_id].draft = draft
    for judgement in Judgement.objects.filter(run__in=ids, round=1).order_by("run", "cycle"):
        found[judgement.run_id].judgements.append(judgement)
    for run_id, stage, sums in _sums(ids):
        found[run_id].asked[stage] = sums
    return found


def _sums(ids: list[UUID]) -> Iterable[tuple[UUID, str, Sums]]:
    calls = Call.objects.filter(run__in=ids, round=1).order_by().values_list("run_id", "stage")
    for run_id, stage, *sums in calls.annotate(
        Count("pk"),
        Sum("input_tokens"),
        Sum("cache_write_tokens"),
        Sum("cache_read_tokens"),
        Sum("output_tokens"),
        Sum("cost_usd"),
        Sum("duration_ms"),
    ):
        yield run_id, stage, Sums(*sums)
