"""Runs of the question flow, and how they ended."""

from typing import Any

from generation import runs
from generation.intake import parse
from generation.models import Run
from tests.factories import SubcategoryFactory
from tests.generation.conftest import generated
from tests.generation.question.records import POOR, SOURCE, scores

FAIL = scores(POOR)  # clinical_accuracy is the weakest: the vignette


def queued(**body: Any) -> Run:
    return runs.create(
        parse({"flow": "question", "subcategory": SubcategoryFactory().slug, "source": SOURCE} | body)
    )


def made(**body: Any) -> Run:
    return generated(queued(**body))


def ended(run: Run) -> tuple[str, str, str | None]:
    return run.status, run.judge_outcome, (run.error or {}).get("code")


def contents(run: Run) -> list[dict[str, Any]]:
    return [draft.content for draft in run.drafts.order_by("revision")]
