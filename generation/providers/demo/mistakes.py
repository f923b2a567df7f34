"""Making the mistakes: what each fault does to a clean record."""

import json
from typing import Any

from generation.providers.demo.extract import Record, clean_record
from generation.providers.demo.faults import LOOSE_SIZES, LOOSE_VALUES, Fault, coin, falls, fault_rate
from generation.providers.demo.vocabulary import concept, is_german

# A unit → what it is taken for.
SLIPS = {
    "mm": "cm", "cm": "mm", "in": "cm", "m": "cm", "ft": "in", "g": "kg", "kg": "g", "lb": "g",
    "oz": "kg", "mg": "g",
}  # fmt: skip
# English name, German name, value, unit of facts that the source does not have.
INVENTED = (
    ("warranty", "Garantie", 24, "months"),
    ("operating temperature", "Betriebstemperatur", 40, "°C"),
    ("cable length", "Kabellänge", 2, "m"),
)
OFTEN_SKIPPED = ("charging time", "interface", "protection class", "noise level")
KEPT_WHEN_GIVING_UP = 2  # specifications


def faults_for(source_text: str, subcategory: str = "") -> frozenset[Fault]:
    """The faults that a first draft of this source has without guidance, where the source gives room for them."""
    own = _own(source_text)
    return frozenset(fault for fault in Fault if falls(fault_rate(fault, subcategory), own, "extraction", fault))


def make_mistakes(source_text: str, faults: frozenset[Fault], kept: frozenset[str] = frozenset()) -> Record:
    """The clean record with these faults; specifications in `kept`, by name, are not left out."""
    record, own = clean_record(source_text), _own(source_text)
    if Fault.GIVING_UP in faults:
        _give_up(record, kept)
    elif Fault.MISSING in faults:
        _leave_out(record, kept)
    if Fault.WRONG_INFORMATION in faults:
        _tell_wrong(record, own, is_german(source_text))
    if Fault.UNIT_SLIP in faults:
        _slip(record, own)
    return record


def written(record: Record, source_text: str, loose: bool) -> str:
    """The answer as text; loose: in one of the forms that weak models give it."""
    plain = json.dumps(record, ensure_ascii=False)
    if not loose:
        return plain
    which = coin(_own(source_text), "extraction", "form")
    if which < LOOSE_VALUES:
        return json.dumps(_with_loose_values(record), ensure_ascii=False)
    if which < LOOSE_VALUES + LOOSE_SIZES:
        return json.dumps(_with_loose_sizes(record), ensure_ascii=False)
    return f"Here is the record:\n```json\n{plain}\n```"


def _own(source_text: str) -> str:
    return " ".join(source_text.split())


def _leave_out(record: Record, kept: frozenset[str]) -> None:
    """One of those that are skipped most, else the last: what stands at the end of a page is read least."""
    specifications = record["specifications"]
    by_concept = {concept(spec["name"]): spec for spec in specifications}
    skipped = next((by_concept[name] for name in OFTEN_SKIPPED if name in by_concept), None)
    victim = skipped or (specifications[-1] if len(specifications) > 1 else None)
    if victim and victim["name"] not in kept:
        specifications.remove(victim)


def _give_up(record: Record, kept: frozenset[str]) -> None:
    first, rest = record["specifications"][:KEPT_WHEN_GIVING_UP], record["specifications"][KEPT_WHEN_GIVING_UP:]
    record["specifications"] = first + [spec for spec in rest if spec["name"] in kept]
    if rest:
        record["description"] = None


def _tell_wrong(record: Record, own: str, german: bool) -> None:
    figures = [spec for spec in record["specifications"] if isinstance(spec["value"], int | float)]
    if figures and falls(0.6, own, "alter"):
        spec = figures[int(coin(own, "which") * len(figures))]
        spec["value"] = round(spec["value"] * 1.5 + 1, 2)
        return
    english, in_german, value, unit = INVENTED[int(coin(own, "invent") * len(INVENTED))]
    record["specifications"].append({"name": in_german if german else english, "value": value, "unit": unit})


def _slip(record: Record, own: str) -> None:
    """All lengths, or the weight, in a wrong unit; the figures stay."""
    sizes = {name: size for name, size in record["dimensions"].items() if size}
    weight = {name: size for name, size in sizes.items() if name == "weight"}
    lengths = {name: size for name, size in sizes.items() if name != "weight"}
    chosen = weight if weight and (not lengths or falls(0.25, own, "weight")) else lengths
    for size in chosen.values():
        size["unit"] = SLIPS.get(size["unit"], size["unit"])


def _with_loose_values(record: Record) -> Record:
    loose = [
        {**spec, "value": f"{spec['value']} {spec['unit']}", "unit": None} if spec.get("unit") else spec
        for spec in record["specifications"]
    ]
    return {**record, "specifications": loose}


def _with_loose_sizes(record: Record) -> Record:
    sizes: dict[str, Any] = {
        name: {**size, "value": f"{size['value']} {size['unit']}"} if isinstance(size, dict) else size
        for name, size in record["dimensions"].items()
    }
    return {**record, "dimensions": sizes}
