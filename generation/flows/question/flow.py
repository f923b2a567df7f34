"""The question flow: question (→ structural rules) → judge; a fix makes one component anew."""

from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from generation.flows.base import Flow, LoopPolicy, Made, NoDraft, Stage, Trouble
from generation.flows.question import source
from generation.flows.question.components import Incomplete, Record, renewed
from generation.flows.question.record import Question
from generation.flows.question.structure import POINTERS, problems
from generation.judges import rubric
from generation.judges.base import Judged
from generation.judges.rubric import Dimension, Rubric
from generation.models import Draft, Judgement
from generation.reading import first_object, storable_json
from generation.work import Work

RUBRIC = Rubric(
    dimensions=(
        Dimension("clinical_accuracy", Decimal("0.3"), "vignette"),
        Dimension("pedagogical_alignment", Decimal("0.2"), "stem"),
        Dimension("distractor_quality", Decimal("0.2"), "distractors"),
        Dimension("slo_coverage", Decimal("0.2"), "stem"),
        Dimension("blooms_match", Decimal("0.1"), "stem"),
    ),
    structure=problems,
    components={
        "vignette": "vignette",
        "stem": "stem",
        "distractors": "distractors",
        "answer_key": "distractors",
        "explanation": "explanation",
    },
    pointers=POINTERS,
)


class Scored(BaseModel):
    """One dimension as the judge answers it."""

    score: float = Field(description="from 0 to 1")
    feedback: str = Field(description="why, and what would raise it")


class Scores(BaseModel):
    """The judge's answer."""

    clinical_accuracy: Scored
    pedagogical_alignment: Scored
    distractor_quality: Scored
    slo_coverage: Scored
    blooms_match: Scored


def prepare(work: Work) -> Trouble | None:
    """Nothing comes before the first draft: the caller says which subcategory it is."""
    return None


def make(work: Work, before: Draft | None, judged: Judged | None) -> Made:
    """A whole question, or, after a failed judgement, the last one with its weakest component made anew."""
    target = judged.correction_target if judged and before else ""
    feedback = _correction(work, target, judged.feedback) if judged and target else ""
    refused = "question answered without a readable JSON object"
    for number in (1, 2):
        given = first_object(work.ask("question", number=number, draft=before, feedback=feedback).answer)
        if given is None:
            continue
        try:
            answer = Question.model_validate(storable_json(given))
            content = renewed(before.content, answer, target) if before and target else _whole(answer)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)[0]
            refused = f"/{'/'.join(map(str, found['loc']))}: {found['msg']}"
        except Incomplete as error:
            refused = str(error)
        else:
            return Made(content, "question", [problem.finding for problem in problems(content)])
    raise NoDraft("malformed_answer", f"{refused}, asked twice")


def _whole(answer: Question) -> Record:
    return answer.model_dump(mode="json")


def _correction(work: Work, component: str, said: str) -> str:
    """What the next draft hears: which component, which attempt it is, and every weak dimension."""
    failed = [one for one in work.judgements() if one.outcome == Judgement.Outcome.FAILED]
    return f"Make anew: {component}\nCorrection attempt: {len(failed)}\n{said}"


FLOW = Flow(
    name="question",
    label="Question",
    record=Question,
    source=source.Source,
    stages={
        "question": Stage("question", "Question", Question, required=("SOURCE",)),
        "judge": Stage("judge", "Judge", Scores, required=("DRAFT",), judges=True, deterministic=True),
    },
    policy=LoopPolicy(fixes=2, exhausted="needs_human_review", unavailable="spend_cycle"),
    judge_kind="rubric",
    folder=Path(__file__).parent,
    title_of=source.title_of,
    render_source=source.render,
    search_queries=lambda source: (),
    prepare=prepare,
    make=make,
    judge=rubric.judge(RUBRIC),
    sourced=(),
)
