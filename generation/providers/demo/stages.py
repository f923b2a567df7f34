"""The stages of the item flow, answered by rules."""

import json
from typing import Any

from generation.providers.demo.categorize import best
from generation.providers.demo.compare import Difference, differences, sizes, specifications
from generation.providers.demo.extract import Record, clean_record
from generation.providers.demo.faults import (
    CATCH_RATE,
    CURE_RATES,
    GUIDED_CATCH_RATE,
    REMARK_CURE_RATE,
    Fault,
    falls,
)
from generation.providers.demo.follow import Guidance, guidance
from generation.providers.demo.format import mended
from generation.providers.demo.mistakes import faults_for, make_mistakes, written
from generation.providers.demo.prompt import Prompt
from generation.providers.demo.vocabulary import concept


def categorize(prompt: Prompt) -> str:
    chosen = best(prompt.source, prompt.categories(), prompt.feedback)
    return json.dumps({"subcategory": chosen.slug if chosen else None})


def extract(prompt: Prompt) -> str:
    """A first draft has the mistakes that no guidance prevents; a later one mends in it what it is told."""
    told = guidance(prompt)
    if prompt.draft is not None:
        return written(_revised(prompt.draft, told, prompt), prompt.source, loose=False)
    tempted = faults_for(prompt.source, prompt.subcategory)
    faults = frozenset(fault for fault in tempted if not _prevented(fault, told, prompt))
    kept = frozenset(
        spec["name"]
        for spec in clean_record(prompt.source)["specifications"]
        if told.asks_for(spec["name"]) and _cured(CURE_RATES[Fault.MISSING], prompt, concept(spec["name"]))
    )
    record = make_mistakes(prompt.source, faults, kept)
    return written(record, prompt.source, loose=Fault.LOOSE_FORM in faults)


def format_(prompt: Prompt) -> str:
    return json.dumps(mended(prompt.draft or {}), ensure_ascii=False)


def supervise(prompt: Prompt) -> str:
    """PASS, or FAIL with the mistakes that it happens to see."""
    if prompt.draft is None:
        return "FAIL\nThere is no record to check."
    warned = guidance(prompt).warned
    seen = [
        found
        for found in differences(prompt.draft, clean_record(prompt.source))
        if falls(
            GUIDED_CATCH_RATE if found.fault in warned else CATCH_RATE,
            prompt.source,
            "supervisor",
            found.fault,
            prompt.turn,
        )
    ]
    if not seen:
        return "PASS"
    return "\n".join(["FAIL", *(f"- {found.field}: {found.reason}" for found in seen)])


def _prevented(fault: Fault, told: Guidance, prompt: Prompt) -> bool:
    return fault in told.warned and _cured(CURE_RATES[fault], prompt, fault)


def _cured(rate: float, prompt: Prompt, what: str) -> bool:
    return falls(rate, prompt.source, "extraction", "cure", what, prompt.turn)


def _revised(draft: Record, told: Guidance, prompt: Prompt) -> Record:
    """The draft with those mistakes mended that the prompt names, as far as they are understood."""
    record = clean_record(prompt.source)
    left = [found for found in differences(draft, record) if not _mended(found, told, prompt)]
    names = {concept(found.field) for found in left}
    given, given_sizes = specifications(draft), sizes(draft)
    kept: list[Any] = [
        given.get(concept(spec["name"])) if concept(spec["name"]) in names else spec
        for spec in record["specifications"]
    ]
    true = specifications(record)
    invented = [spec for key, spec in given.items() if key in names and key not in true]
    record["specifications"] = [dict(spec) for spec in (*kept, *invented) if spec]
    record["dimensions"] = {
        name: given_sizes.get(name) if name in names else size for name, size in record["dimensions"].items()
    }
    if "description" in names:
        record["description"] = None
    return record


def _mended(found: Difference, told: Guidance, prompt: Prompt) -> bool:
    if told.asks_for(found.field) or told.remarks_on(found.fault, found.field):
        return _cured(REMARK_CURE_RATE, prompt, found.fault)
    return found.fault in told.warned and _cured(CURE_RATES[found.fault], prompt, found.fault)
