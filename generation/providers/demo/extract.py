"""A faultless reading of a product text by rules: what the record would be if the demo made no mistakes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from generation.providers.demo import units, vocabulary
from generation.providers.demo.sizes import overall_sizes
from generation.providers.demo.units import Quantity
from generation.providers.demo.vocabulary import concept, dimension, fold, is_german, is_overall

LINES, SPECIFICATIONS = 400, 60  # beyond that a text is no product text
LONGEST_LINE = 2000
NAME_LIMIT, VALUE_LIMIT, DESCRIPTION_LIMIT = 200, 120, 400
ASIDE = re.compile(r"^\s*(?:url|query)\s*:", re.IGNORECASE)
PAIR = re.compile(r"^(?P<key>[^:=\n]{1,60}?)\s*[:=]\s*(?P<value>\S.*)$")
# Where one line holds several facts: at strong marks, at a comma before a word that a fact may begin with.
PARTS = re.compile(
    r"[;|•·\t]|,\s+(?=[^\W\d][^,:]{1,40}:\s)|,\s+(?=[^\W\d][\w-]*\s+\d)|(?<=[^\W\d]{4})[.!]\s+(?=[A-ZÄÖÜ])"
)
NUMBER_AHEAD = re.compile(
    rf"^(?P<key>[^\W\d][^\d:]{{0,40}}?)\s+(?P<value>(?:{units.HEDGE_WORD}\s+)*[~≈]?[\d½¼¾].*)$", re.IGNORECASE
)
BARE = re.compile(rf"(?<![\w.,/#-])(?P<number>{units.NUMBER})\s?(?P<unit>{units.UNIT})")
PROSE_WORDS = 9  # a "value" of more words than this without a figure in front is a sentence

Record = dict[str, Any]


@dataclass
class Facts:
    """What was read so far. The first word on a property counts, in the order of the text."""

    title: str
    german: bool
    sizes: dict[str, Quantity] = field(default_factory=dict)
    specifications: list[dict[str, Any]] = field(default_factory=list)

    def knows(self, name: str) -> bool:
        return any(concept(name) == concept(spec["name"]) for spec in self.specifications)

    def add(self, name: str, value: int | float | str, unit: str | None) -> None:
        if not self.knows(name) and len(self.specifications) < SPECIFICATIONS:
            self.specifications.append({"name": name, "value": value, "unit": unit})


def clean_record(source_text: str) -> Record:
    """The record of a source text as flows render it (title on the first line), without any mistake."""
    lines = [line.strip()[:LONGEST_LINE] for line in source_text.splitlines() if line.strip()][:LINES]
    lines = [line for line in lines if not ASIDE.match(line)]
    title, body = (lines[0], lines[1:]) if lines else ("", [])
    facts = Facts(title, is_german(source_text))
    prose = [line for line in body if not _read_line(line, facts)]
    for line in (*prose, title):
        _read_bare(line, facts, whole=line is title and not facts.sizes)
    return {
        "name": title[:NAME_LIMIT].strip() or "unnamed",
        "description": _description(prose),
        "specifications": facts.specifications,
        "dimensions": dimensions_of(facts.sizes),
        "sources": ["source"],
    }


def dimensions_of(sizes: dict[str, Quantity]) -> dict[str, Any]:
    return {
        name: {"value": sizes[name].value, "unit": sizes[name].unit} if name in sizes else None
        for name in vocabulary.DIMENSIONS
    }


def _read_line(line: str, facts: Facts) -> bool:
    """Take the facts of one line; False where it has none and so may be a sentence."""
    found = False
    for part in PARTS.split(line):
        pair = _pair(part.strip(" -*–\t"), facts.german)
        if pair and fold(pair[0]) not in fold(facts.title):  # "Brewmate Flow: a scale" is a sentence
            found = True
            _take(*pair, facts)
    return found


def _pair(part: str, german: bool) -> tuple[str, str] | None:
    """Key and value of "Weight: 1.7 kg", and of "Gewicht 1,7 kg" where the key is a known name."""
    match = PAIR.match(part)
    if match and len(fold(match["key"]).split()) <= 5 and re.search(r"[^\W\d]|ø", match["key"]):
        value = match["value"].strip()
        sentence = len(value.split()) > PROSE_WORDS and units.quantity(value, german) is None
        return None if sentence else (match["key"].strip(), value)
    match = NUMBER_AHEAD.match(part)
    if match and _is_known(match["key"]):
        return match["key"].strip(), match["value"].strip()
    return None


def _is_known(key: str) -> bool:
    return concept(key) in vocabulary.SPECIFICATIONS or dimension(key) is not None or is_overall(key)


def _take(key: str, value: str, facts: Facts) -> None:
    if is_overall(key) or _is_axes(key):
        sizes = overall_sizes(key, value, facts.german)
        if not sizes:
            sizes = _sizes_by_name(PARTS.split(value), facts.german)
        if sizes:
            for name, size in sizes.items():
                facts.sizes.setdefault(name, size)
            return
    measured = units.measured(value, facts.german)
    field_name = dimension(key)
    if field_name and measured and measured.is_number and _fits(field_name, measured.unit):
        facts.sizes.setdefault(field_name, measured)
    elif measured:
        facts.add(key, measured.value, measured.unit)
    elif text := value.strip(" .")[:VALUE_LIMIT].strip():
        facts.add(key, text, None)


def _is_axes(key: str) -> bool:
    return bool(re.fullmatch(r"[lbhtwdø](?:\s?[x×/*]\s?[lbhtwdø]){1,2}", fold(key)))


def _sizes_by_name(parts: Iterable[str], german: bool) -> dict[str, Quantity]:
    """ "Länge 159 mm, Breite 58 mm" as it stands behind a name for all sizes."""
    sizes: dict[str, Quantity] = {}
    for part in parts:
        pair = _pair(part.strip(), german)
        name = dimension(pair[0]) if pair else None
        size = units.measured(pair[1], german) if pair else None
        if name and size and size.is_number and _fits(name, size.unit):
            sizes.setdefault(name, size)
    return sizes


def _fits(name: str, unit: str | None) -> bool:
    return unit in (units.WEIGHTS if name == "weight" else units.LENGTHS)


def _read_bare(text: str, facts: Facts, *, whole: bool) -> None:
    """Figures without a name: those whose unit speaks for itself, and in a bare title its sizes too.

    Two different ones of a kind contradict each other: then neither is taken.
    """
    by_name: dict[str, set[Quantity]] = {}
    for name, found in _bare(text, facts.german):
        by_name.setdefault(name, set()).add(found)
    for name, all_found in by_name.items():
        if len(all_found) > 1:
            continue
        found = all_found.pop()
        if name in vocabulary.DIMENSIONS:
            if whole:
                facts.sizes.setdefault(name, found)
        else:
            facts.add(vocabulary.GERMAN_NAMES.get(name, name) if facts.german else name, found.value, found.unit)


def _bare(text: str, german: bool) -> Iterator[tuple[str, Quantity]]:
    for match in BARE.finditer(text):
        unit = units.SYMBOLS[match["unit"]]
        found = Quantity(units.number(match["number"], german), unit)
        if unit in vocabulary.BY_UNIT:
            yield vocabulary.BY_UNIT[unit], found
        elif unit in units.LENGTHS:
            yield "length", found
        elif unit in units.WEIGHTS:
            yield "weight", found


def _description(prose: list[str]) -> str | None:
    sentences = [line for line in prose if len(line.split()) >= 3]
    text = " ".join(sentences[:2])
    return text[:DESCRIPTION_LIMIT].strip() or None
