"""The editorial flow: editorial → enrich → check, judged by criteria; every revision runs both stages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from generation.flows.base import Flow, LoopPolicy, Made, NoDraft, Stage
from generation.flows.editorial import check, source
from generation.flows.editorial.record import Editorial, Enriched, Layout
from generation.flows.editorial.ties import tied
from generation.judges import criteria
from generation.judges.base import Judged
from generation.models import Draft
from generation.providers.base import ProviderError
from generation.reading import first_object, storable_json
from generation.work import Work


def make(work: Work, before: Draft | None, judged: Judged | None) -> Made:
    """A whole new draft: from the source, with what judges or a person said about the last one.

    A draft that does not fit the schema is still a draft: the judge fails it, and the next one hears why.
    """
    content = _written(work, before, judged)
    mentions = _mentions(work, content)
    whole = _in_form({**content, "mentions": mentions or []})
    made_by = "editorial" if mentions is None else "enrich"
    return Made(whole, made_by, check.findings(whole, work.run.source))


def _written(work: Work, before: Draft | None, judged: Judged | None) -> dict[str, Any]:
    """What a judge failed is written anew, what a person sent back is shown to be mended."""
    feedback = criteria.feedback(work.judgements()) if judged else ""
    for number in (1, 2):
        call = work.ask("editorial", number=number, draft=None if judged else before, feedback=feedback)
        content = first_object(call.answer)
        if content:
            return dict(storable_json(content))
    raise NoDraft("malformed_answer", "the editorial stage answered twice without a readable JSON object")


def _in_form(content: dict[str, Any]) -> dict[str, Any]:
    """The record as its schema writes it; as it is where it does not fit."""
    try:
        return Editorial.model_validate(content).model_dump(mode="json")
    except ValidationError:
        return content


def _mentions(work: Work, content: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The names that were tied to topics; None where the stage failed: the draft goes on without."""
    try:
        answer = first_object(work.ask("enrich", content=content).answer)
    except ProviderError as error:
        if error.retryable and not work.last_try:
            raise
        return None
    if answer is None or not isinstance(answer.get("mentions"), list):
        return None
    return tied(dict(storable_json(answer)), content, work.run.source)


FLOW = Flow(
    name="editorial",
    label="Editorial",
    record=Editorial,
    source=source.Source,
    stages={
        "editorial": Stage("editorial", "Editorial", Layout, required=("SOURCE",)),
        "enrich": Stage("enrich", "Enrich", Enriched, required=("SOURCE", "DRAFT")),
        "judge": Stage(
            "judge", "Judge", criteria.Answer, required=("SOURCE", "DRAFT"), judges=True, deterministic=True
        ),
    },
    policy=LoopPolicy(fixes=2, exhausted="failed", unavailable="escalate"),
    judge_kind="criteria",
    folder=Path(__file__).parent,
    title_of=source.title_of,
    render_source=source.render,
    make=make,
    judge=criteria.judge_with(form=check.form, counted=check.counted),
    sourced=("/blocks/*/name", "/blocks/*/brand", "/blocks/*/price", "/blocks/*/speaker"),
)
