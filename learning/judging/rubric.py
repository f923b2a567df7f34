"""The rubric's threshold on the page of judges: of all institutions together, or of one."""

from collections.abc import Mapping
from dataclasses import dataclass

from generation.flows import flow as flow_named
from generation.flows.base import Flow
from generation.judges.rubric import THRESHOLD
from generation.models import Institution
from learning.judging.counting import By, Scores, asks, scores
from learning.judging.threshold import At, Tradeoff

RATIOS = ("0.5", "1", "2", "5", "10")  # what a bad one that passes costs, a good one held back costing 1
TOLD_EVERY = 5  # hundredths, in the table


@dataclass(frozen=True)
class RubricPage:
    """institution: the one in view; None: all together, by the threshold that they share, else by the default."""

    institution: Institution | None
    institutions: list[Institution]
    ratio: str
    tradeoff: Tradeoff
    not_compared: list[str]

    ratios = RATIOS

    @property
    def good(self) -> int:
        return sum(self.tradeoff.scores.good)

    @property
    def bad(self) -> int:
        return sum(self.tradeoff.scores.bad)

    @property
    def told(self) -> list[At]:
        """What the table tells: every twentieth, that in force and that suggested."""
        suggested = self.tradeoff.suggested
        always = {self.tradeoff.in_force} | ({suggested.threshold} if suggested else set())
        return [at for at in self.tradeoff.all if at.threshold % TOLD_EVERY == 0 or at.threshold in always]


def rubric_page(flow: str, by: By | None, given: Mapping[str, str]) -> RubricPage:
    """given: the address's institution (slug) and cost; unknown values are as if absent. Two queries."""
    found = {key: one for key, one in scores(flow).items() if by is None or key[1] == by}
    institutions = list(Institution.objects.filter(pk__in={pk for pk, _by in found if pk}).order_by("name"))
    institution = next((one for one in institutions if one.slug == given.get("institution")), None)
    wanted = [one for (pk, _by), one in found.items() if institution is None or pk == institution.pk]
    ratio = given.get("cost", "")
    ratio = ratio if ratio in RATIOS else "1"
    level = {one.pk: one.quality_threshold for one in institutions}
    held = list({level.get(pk, THRESHOLD) for pk, _by in found if institution is None or pk == institution.pk})
    threshold, is_one = held[0] if len(held) == 1 else THRESHOLD, len(held) < 2
    tradeoff = Tradeoff(sum(wanted, Scores()), int(threshold * 100), float(ratio), is_one)
    return RubricPage(institution, institutions, ratio, tradeoff, _not_compared(flow_named(flow)))


def _not_compared(flow: Flow) -> list[str]:
    """Dimensions of the judge's answer that are no criterion of `foldback_judging_asks`."""
    compared = {ask.criterion for ask in asks(flow.judge_kind)}
    answers = [stage.answer for stage in flow.stages.values() if stage.judges and stage.answer]
    return [name for answer in answers for name in answer.model_fields if name not in compared]
