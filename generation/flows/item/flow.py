"""The item flow: categorizer → extraction → check (→ formatter) → supervisor."""

from pathlib import Path
from typing import Any

from generation.flows.base import Finding, Flow, LoopPolicy, Made, NoDraft, Stage, Trouble
from generation.flows.item import source
from generation.flows.item.check import FORM_ERRORS, approved_sizes, check, read
from generation.flows.item.record import Categorized, Item
from generation.judges import supervisor
from generation.judges.base import Judged
from generation.models import Draft, Subcategory
from generation.reading import first_object, storable, storable_json
from generation.work import Work


def prepare(work: Work) -> Trouble | None:
    """Find the subcategory where the caller gave none, and again in each later round of such a run.

    Where a person has corrected it since, the categorizer hears that, and the person's word stands.
    """
    given = work.run.subcategory is not None and not work.asked_before("categorizer")
    if given or not Subcategory.objects.exists():
        return None
    found = _categorize(work)
    if found is None and work.run.subcategory is None:
        return Trouble("unknown_subcategory", "the categorizer named no known subcategory, asked twice")
    if found is not None and not work.run.subcategory_corrected:
        work.set_subcategory(found)
    return None


def _categorize(work: Work) -> Subcategory | None:
    feedback = ""
    for number in (1, 2):
        found = Subcategory.objects.filter(
            slug=_slug(work.ask("categorizer", number=number, feedback=feedback).answer)
        )
        if found:
            return found[0]
        feedback = "The last answer named no subcategory of the list. Answer with one of the listed slugs."
    return None


def _slug(answer: str) -> str:
    slug = (first_object(answer) or {}).get("subcategory")
    return storable(slug) if isinstance(slug, str) else ""


def make(work: Work, before: Draft | None, judged: Judged | None) -> Made:
    """Extraction, then the check, then the formatter where the form is wrong or guidance asks for it."""
    content = _extract(work, before, judged.feedback if judged else "")
    item, findings = _checked(work, content)
    wrong = [found for found in findings if found["code"] in FORM_ERRORS]
    if wrong or work.guidance("formatter").force_formatter:
        mended, found = _checked(work, _format(work, content, wrong))
        if mended is not None:
            return Made(mended.model_dump(mode="json"), "formatter", found)
    if item is None:
        raise NoDraft(
            "malformed_record", f"{wrong[0]['field'] or '/'}: {wrong[0]['detail']}, also after formatting"
        )
    return Made(item.model_dump(mode="json"), "extraction", findings)


def _extract(work: Work, before: Draft | None, feedback: str) -> dict[str, Any]:
    for number in (1, 2):
        call = work.ask("extraction", number=number, draft=before, feedback=feedback)
        content = first_object(call.answer)
        if content is not None:
            return dict(storable_json(content))
    raise NoDraft("malformed_answer", "extraction answered twice without a readable JSON object")


def _format(work: Work, content: dict[str, Any], wrong: list[Finding]) -> dict[str, Any] | None:
    feedback = "\n".join(f"{found['field'] or '/'}: {found['detail']}" for found in wrong)
    mended = first_object(work.ask("formatter", content=content, feedback=feedback).answer)
    return None if mended is None else dict(storable_json(mended))


def _checked(work: Work, content: dict[str, Any] | None) -> tuple[Item | None, list[Finding]]:
    if content is None:
        return None, []
    item, findings = read(content)
    return item, findings if item is None else check(item, approved_sizes(work.run))


FLOW = Flow(
    name="item",
    label="Item",
    record=Item,
    source=source.Source,
    stages={
        "categorizer": Stage("categorizer", "Categorizer", Categorized, required=("SOURCE", "CATEGORIES")),
        "extraction": Stage("extraction", "Extraction", Item, required=("SOURCE",), searches=True),
        "formatter": Stage("formatter", "Formatter", Item, required=("DRAFT",), on_guidance=True),
        "supervisor": Stage("supervisor", "Supervisor", required=("DRAFT",), judges=True),
    },
    policy=LoopPolicy(fixes=2, exhausted="needs_human_review", unavailable="escalate"),
    judge_kind="supervisor",
    folder=Path(__file__).parent,
    title_of=source.title_of,
    render_source=source.render,
    search_queries=source.search_queries,
    prepare=prepare,
    make=make,
    judge=supervisor.judge,
)
