"""Asking the demo provider, and reading its mistakes off its answers."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from generation.prompts import shipped
from generation.providers import Request, provider
from generation.providers.demo.compare import differences
from generation.providers.demo.extract import clean_record
from generation.providers.demo.faults import (
    PRONE_TO,
    Fault,
    prone_to,
)
from generation.providers.demo.mistakes import faults_for
from generation.reading import first_object

# As guidance may be worded; each has a telling word of one kind of mistake and of no other.
WARNINGS = {
    Fault.UNIT_SLIP: "Check each size: is it plausible for such a product, and in the right unit?",
    Fault.WRONG_INFORMATION: "Cross-check every value and keep only what the text gives evidence for.",
    Fault.LOOSE_FORM: "Be strict about the schema: numbers as numbers.",
    Fault.GIVING_UP: "Search further: tables and footnotes count too.",
}
BODY = """\
Sturdy driver number {n} for joists and decking.
Battery voltage: 18 V
Battery capacity: 5.0 Ah
Max. torque: {torque} Nm
No-load speed: 0-550 / 0-2100 rpm
Dimensions: {length} x 81 x 252 mm
Weight: 2.{n} kg
Charging time: {time} min
Noise level: 79 dB(A)"""
SOURCES = [
    f"Norrland ND-{n} drill\n" + BODY.format(n=n, torque=50 + n, length=170 + n, time=30 + n) for n in range(400)
]
MANY = len(SOURCES)
# A subcategory for each weak spot.
WEAK_IN = {fault: next(f"Kind {n}" for n in range(99) if prone_to(f"Kind {n}") == fault) for fault in PRONE_TO}
EXPECTED_FAULTS = [
    ["missing", "unit_slip"],
    [],
    [],
    ["loose_form"],
    [],
    ["unit_slip"],
    [],
    [],
    ["loose_form", "unit_slip"],
    [],
    [],
    ["loose_form", "wrong_information"],
]


def prompt(
    stage: str,
    source: str = "",
    *,
    guidance: str = "",
    draft: Mapping[str, Any] | None = None,
    feedback: str = "",
    categories: str = "",
    subcategory: str = "",
    **changes: Any,
) -> Request:
    """The shipped prompt of a stage, filled as the assembly fills it."""
    text = shipped("item", stage)
    values = {
        f"{stage.upper()}_REVIEW": guidance,
        "SOURCE": f"<source>\n{source}\n</source>",
        "DRAFT": f"<draft>\n{json.dumps(draft, ensure_ascii=False)}\n</draft>" if draft is not None else "",
        "FEEDBACK": f"<feedback>\n{feedback}\n</feedback>" if feedback else "",
        "CATEGORIES": categories,
        "SUBCATEGORY": f"{subcategory} (slug-1)" if subcategory else "",
    }
    user = text.user
    for name, value in values.items():
        user = user.replace(f"<<{name}>>", value)
    return Request(
        **(
            {"flow": "item", "stage": stage, "system": text.system, "stable": "", "volatile": user, "model": "m"}
            | changes
        )
    )


def answer(stage: str, source: str = "", **values: Any) -> str:
    return provider("demo").answer(prompt(stage, source, **values)).text


def record(source: str, **values: Any) -> dict[str, Any]:
    found = first_object(answer("extraction", source, **values))
    assert found is not None
    return found


def faults_in(source: str, **values: Any) -> set[Fault]:
    return {found.fault for found in differences(record(source, **values), clean_record(source))}


def shares(**values: Any) -> dict[Fault, float]:
    counted = Counter(fault for source in SOURCES for fault in faults_in(source, **values))
    return {fault: counted[fault] / MANY for fault in Fault}


def with_fault(fault: Fault) -> tuple[list[str], dict[str, str]]:
    """Sources whose unguided draft has exactly this fault and shows it, in a subcategory prone to it."""
    weak = {"subcategory": WEAK_IN[fault]}
    found = [one for one in SOURCES if faults_for(one, WEAK_IN[fault]) == faults_in(one, **weak) == {fault}]
    return found, weak
