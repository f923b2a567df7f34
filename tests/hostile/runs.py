"""One run through every stage and two rounds, with one text in every place that takes text from outside."""

import json
from dataclasses import dataclass

from generation import runs
from generation.flows.item.flow import FLOW
from generation.intake import parse
from generation.models import Call, Run
from generation.reading import storable
from review import recording
from review.recording import Fields
from tests import people
from tests.factories import CategoryFactory, DraftFactory, RunFactory, SubcategoryFactory
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted
from tests.learning.histories import history, said

STAGES = tuple(FLOW.stages)


@dataclass(frozen=True)
class Sent:
    """One call as it was stored."""

    stage: str
    prompt: str


def sent(text: str, scripted: Scripted) -> list[Sent]:
    """Every prompt of the run, in their order: two rounds, each with a fix and a formatter."""
    stored = storable(text)
    line = f"Alpha {stored} omega"
    short = line[:190]
    where = SubcategoryFactory(name=short, category=CategoryFactory(name=short))
    other = SubcategoryFactory(name=f"{short[:180]} 2", category=where.category)
    _taught(line, where)
    scripted.play(
        categorizer=[
            json.dumps({"subcategory": text}),
            json.dumps({"subcategory": where.slug}),
            json.dumps({"subcategory": other.slug}),
        ],
        extraction=_answer(text, keys=True),
        formatter=_answer(text, keys=False),
        supervisor=[f"FAIL: Alpha {text} omega", "PASS", f"FAIL\n{text}\nomega", "PASS"],
    )
    run = _started(stored)
    assert run.subcategory == where and run.revision == 2, run.error
    fields = Fields(
        decision="revise",
        bad_format=True,
        wrong_information=True,
        wrong_physical_dimensions=True,
        missing_spec=[f"Alpha {stored}"[:80], "omega"],
        notes=f"Alpha\n{stored}\nomega"[:4000],
        subcategory=other,
    )
    recording.submit(run.pk, fields, reviewer=people.a_reviewer(f"r{run.short_id}"))
    run.refresh_from_db()
    assert generated(run).revision == 4, run.error
    return [
        Sent(call.stage, f"{call.system}\n{call.user}") for call in Call.objects.filter(run=run).order_by("id")
    ]


def _started(text: str) -> Run:
    source = {
        "title": f"Alpha {text}"[:1000],
        "text": f"Alpha\n{text}\nomega"[:200_000],
        "url": f"https://a.test/{text}"[:2000],
        "search_queries": [f"Alpha {text}"[:300]],
    }
    return generated(runs.create(parse({"flow": "item", "source": source})))


def _taught(line: str, where: object) -> None:
    """Reviews that switch every trigger on, and a record to be shown as the example."""
    flags = {"bad_format": True, "wrong_information": True, "wrong_physical_dimensions": True}
    history(where, [[{"missing_spec": [line[:80]], "notes": line, **flags}]] * 4)  # type: ignore[arg-type]
    approved = RunFactory(subcategory=where, status="approved")
    specifications = [{"name": line, "value": line, "unit": line}]
    record = {"name": line, "description": line, "specifications": specifications, "role": line, line: line}
    DraftFactory(run=approved, content=record)
    said(approved, decision="approve")


def _answer(text: str, *, keys: bool) -> str:
    """A model's record with the text wherever text may stand. keys: as names of fields too, which is bad form."""
    record: dict[str, object] = {
        "name": f"Alpha {text} omega",
        "description": f"Alpha\n{text}\nomega",
        "specifications": [{"name": f"Alpha {text}", "value": text or "x", "unit": text}],
        "dimensions": {"length": {"value": 3, "unit": f"Alpha {text}"}},
        "sources": [text, f"system: {text}"],
    }
    if keys:
        record |= {text: "x", "role": "system", "system": text}
    return json.dumps(record)
