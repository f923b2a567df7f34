"""What an accepted record costs by stage, and by version of the stage's prompt."""

from collections.abc import Mapping
from dataclasses import dataclass

from generation.flows import flow as flow_named
from generation.models import PromptVersion
from learning.costs import counts
from learning.costs.counts import Sums
from learning.costs.measures import MEASURES, Measure
from learning.costs.savings import Added, Saved, added, saved
from review.exports.columns import Column, Row, columns

VERSIONS_SHOWN = 20  # of a stage, the newest ones
COLUMNS: tuple[Column, ...] = (
    *columns(flow="text", stage="text", version="integer", model="text"),
    *(Column(place, "integer") for place in counts.PLACES),
)


@dataclass(frozen=True)
class Per:
    """Sums per accepted record. whole: what share of the flow's money, tokens or time it is, in per cent."""

    sums: Sums
    accepted: int
    first_accepted: int

    def all_rounds(self, by: Measure) -> str:
        return by.words(by.of(self.sums) / self.accepted) if self.accepted else "–"

    def told(self, by: Measure) -> str:
        """All rounds, with the unit."""
        return by.told(by.of(self.sums) / self.accepted) if self.accepted else "–"

    def first_rounds(self, by: Measure) -> str:
        return by.words(by.first(self.sums) / self.first_accepted) if self.first_accepted else "–"

    @property
    def money(self) -> str:
        return self.all_rounds(MEASURES["money"])

    @property
    def tokens(self) -> str:
        return self.all_rounds(MEASURES["tokens"])

    @property
    def time(self) -> str:
        return self.all_rounds(MEASURES["time"])

    @property
    def first_money(self) -> str:
        return self.first_rounds(MEASURES["money"])

    @property
    def first_tokens(self) -> str:
        return self.first_rounds(MEASURES["tokens"])

    @property
    def first_time(self) -> str:
        return self.first_rounds(MEASURES["time"])

    @property
    def calls(self) -> float | None:
        return self.sums["calls"] / self.accepted if self.accepted else None


@dataclass(frozen=True)
class OfVersion(Per):
    """A version, by the runs that it had a part in; one that two versions made counts for both."""

    version: PromptVersion | None
    is_live: bool

    @property
    def runs(self) -> int:
        return self.sums["runs"]

    @property
    def acceptance(self) -> float | None:
        """Of its runs that are over, the share that was accepted in the end, 0 to 1."""
        return self.accepted / self.runs if self.runs else None


@dataclass(frozen=True)
class OfStage(Per):
    """A stage, by the accepted records of the whole flow: stages add up to the flow."""

    name: str
    label: str
    models: Mapping[str, Sums]
    versions: list[OfVersion]

    @property
    def failed(self) -> float | None:
        """The share of its calls that failed, 0 to 1."""
        return self.sums["failed"] / self.sums["calls"] if self.sums["calls"] else None

    @property
    def added(self) -> Added:
        return added(self.models, self.accepted)

    @property
    def saved(self) -> Saved:
        return saved(self.models, self.accepted)


def stages(flow: str, sums: Mapping[tuple[str, int, str], Sums]) -> list[OfStage]:
    """In the flow's order; stages that it has no more come last. One query."""
    known = {name: stage.label for name, stage in flow_named(flow).stages.items()}
    names = dict.fromkeys([*known, *sorted({stage for stage, _version, _model in sums if stage})])
    asked = [name for name in names if any(stage == name for stage, _version, _model in sums)]
    of_flow = sums.get(counts.RUNS, counts.none())
    ids = {version for _stage, version, _model in sums}
    versions = PromptVersion.objects.filter(pk__in=ids).select_related("prompt").defer("system", "user").in_bulk()
    return [_stage(name, known.get(name, name), sums, of_flow, versions) for name in asked]


def _stage(
    name: str,
    label: str,
    sums: Mapping[tuple[str, int, str], Sums],
    of_flow: Sums,
    versions: Mapping[int, PromptVersion],
) -> OfStage:
    here = {(version, model): one for (stage, version, model), one in sums.items() if stage == name}
    models = {
        model: counts.added(one for (_version, of), one in here.items() if of == model)
        for model in dict.fromkeys(model for _version, model in here)
    }
    return OfStage(
        sums=counts.added(here.values()),
        accepted=of_flow["accepted"],
        first_accepted=of_flow["first_accepted"],
        name=name,
        label=label,
        models=models,
        versions=[_version(here, pk, versions.get(pk)) for pk in _newest({version for version, _model in here})],
    )


def _newest(ids: set[int]) -> list[int]:
    return sorted(ids, reverse=True)[:VERSIONS_SHOWN]


def _version(here: Mapping[tuple[int, str], Sums], pk: int, version: PromptVersion | None) -> OfVersion:
    found = counts.added(one for (of, _model), one in here.items() if of == pk)
    return OfVersion(
        sums=found,
        accepted=found["accepted"],
        first_accepted=found["first_accepted"],
        version=version,
        is_live=version is not None and version.prompt.live_id == version.pk,
    )


def rows(flow: str, sums: Mapping[tuple[str, int, str], Sums]) -> list[Row]:
    """The sums as they are, for CSV; a stage of "" is the run itself, a model of "*" how many runs there are."""
    numbers = dict(PromptVersion.objects.filter(pk__in={key[1] for key in sums}).values_list("pk", "number"))
    return [
        {"flow": flow, "stage": stage, "version": numbers.get(version), "model": model} | one
        for (stage, version, model), one in sorted(sums.items())
    ]
