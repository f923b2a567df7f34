"""Making the mistakes: what each fault does to a faultless page."""

import json
from copy import deepcopy
from typing import Any

from generation.providers.demo.editorial.compose import Record, compose
from generation.providers.demo.editorial.topics import FIGURE
from generation.providers.demo.faults import LOOSE_SIZES, LOOSE_VALUES, Fault, coin, falls, fault_rate

# Sentences that no source has.
INVENTED = (
    "Marlene Voss was seen in it at the autumn shows.",
    "Even Teodor Brandt has ordered two.",
    "The waiting list is said to close with Ilse Hartog, who took the last one.",
)
OFTEN_LEFT_OUT = ("credits", "quote", "hashtags", "person")


def faults_for(source: str, subcategory: str) -> frozenset[Fault]:
    """The faults that a page of this source has without guidance."""
    own = _own(source)
    return frozenset(fault for fault in Fault if falls(fault_rate(fault, subcategory), own, "editorial", fault))


def left_out(source: str) -> str:
    """The kind of block that is left out where one is."""
    kinds = {block["type"] for block in compose(source)["blocks"]}
    there = [kind for kind in OFTEN_LEFT_OUT if kind in kinds]
    return there[int(coin(_own(source), "left out") * len(there))]


def make_mistakes(source: str, faults: frozenset[Fault]) -> Record:
    """The faultless page with these faults."""
    record = deepcopy(compose(source))
    if Fault.GIVING_UP in faults:
        _give_up(record)
    elif Fault.MISSING in faults:
        record["blocks"] = [block for block in record["blocks"] if block["type"] != left_out(source)]
    if Fault.WRONG_INFORMATION in faults:
        _bodies(record)[-1]["paragraphs"][-1] += f" {INVENTED[int(coin(_own(source), 'invent') * len(INVENTED))]}"
    if Fault.UNIT_SLIP in faults:
        _slip(record)
    return record


def written(record: Record, source: str, *, loose: bool) -> str:
    """The answer as text; loose: with marks of layout in it, in a form that the schema refuses, or in a fence."""
    plain = json.dumps(record, ensure_ascii=False)
    if not loose:
        return plain
    which = coin(_own(source), "editorial", "form")
    if which >= LOOSE_VALUES + LOOSE_SIZES:
        return f"Here is the page:\n```json\n{plain}\n```"
    for block in _bodies(record):
        marked = [f"**{text}**" if at == 0 else text for at, text in enumerate(block["paragraphs"])]
        block["paragraphs"] = marked if which < LOOSE_VALUES else "\n\n".join(block["paragraphs"])
    return json.dumps(record, ensure_ascii=False)


def _bodies(record: Record) -> list[dict[str, Any]]:
    return [block for block in record["blocks"] if block["type"] == "body_text"]


def _give_up(record: Record) -> None:
    """The first paragraph, and what stands at the foot of every page."""
    body = _bodies(record)[0]
    body["paragraphs"] = body["paragraphs"][:1]
    record["blocks"] = [body, *(block for block in record["blocks"] if block["type"] in ("hashtags", "credits"))]


def _slip(record: Record) -> None:
    """The first price or figure, ten times as large."""
    for block in record["blocks"]:
        for key in ("price", "text"):
            if isinstance(block.get(key), str) and FIGURE.search(block[key]):
                block[key] = _tenfold(block[key])
                return
        for at, text in enumerate(block.get("paragraphs", ())):
            if FIGURE.search(text):
                block["paragraphs"][at] = _tenfold(text)
                return


def _tenfold(text: str) -> str:
    return FIGURE.sub(lambda found: f"{found.group()}0", text, count=1)


def _own(source: str) -> str:
    return " ".join(source.split())
