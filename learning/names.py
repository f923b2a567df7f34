"""Names of missing fields: spellings, languages and synonyms of one field meet under one key."""

from collections.abc import Mapping
from functools import cache

from review.normalise import fold

Synonyms = Mapping[str, str]  # folded name → the name that it counts as, as an admin or we spell it

# Field of the record → what people call it. Other flows get their own entry; an admin's rows go before these.
ALIASES: dict[str, dict[str, tuple[str, ...]]] = {
    "item": {
        "name": ("product name", "title", "Produktname", "Bezeichnung", "Titel"),
        "description": ("Beschreibung", "Produktbeschreibung", "product description"),
        "dimensions": ("size", "sizes", "measurements", "physical dimensions", "Größe", "Groesse", "Maße", "Masse",
                       "Abmessung", "Abmessungen"),
        "length": ("Länge", "Laenge"),
        "width": ("Breite",),
        "height": ("Höhe", "Hoehe"),
        "depth": ("Tiefe",),
        "diameter": ("Durchmesser",),
        "weight": ("Gewicht", "Eigengewicht", "net weight", "Nettogewicht"),
        "sources": ("source", "Quelle", "Quellen"),
        "colour": ("color", "Farbe"),
        "brand": ("Marke", "manufacturer", "Hersteller"),
        "model": ("Modell", "model number", "Modellnummer"),
        "power": ("Leistung",),
        "voltage": ("Spannung",),
        "capacity": ("Kapazität", "Kapazitaet"),
        "warranty": ("guarantee", "Garantie"),
    },
    "editorial": {
        "title": ("headline", "Titel", "Überschrift"),
        "subtitle": ("standfirst", "Untertitel", "Vorspann"),
        "hero": ("opening", "Aufmacher"),
        "body text": ("body", "text", "paragraphs", "Fließtext", "Absätze"),
        "quote": ("quotes", "pull quote", "quotation", "Zitat", "Zitate"),
        "person": ("people", "celebrity", "celebrities", "Personen", "Leute"),
        "product": ("products", "product block", "Produkt", "Produkte"),
        "brand": ("brands", "label", "Marke", "Marken"),
        "price": ("prices", "Preis", "Preise"),
        "hashtags": ("hashtag", "tags", "Schlagworte"),
        "credits": ("sources", "links", "Quellen", "Nachweise"),
    },
    "question": {
        "vignette": ("case", "case history", "Vignette", "Fallbeschreibung"),
        "vital signs": ("vitals", "Vitalzeichen", "Vitalparameter"),
        "laboratory values": ("labs", "lab results", "laboratory results", "Laborwerte", "Labor"),
        "examination": ("physical examination", "physical findings", "Untersuchungsbefund"),
        "history": ("medical history", "Anamnese"),
        "stem": ("lead-in", "Fragestellung"),
        "options": ("answers", "distractors", "Antworten", "Distraktoren"),
        "key": ("answer key", "correct answer", "Lösung"),
        "explanation": ("rationale", "Erklärung", "Begründung"),
    },
}  # fmt: skip


@cache
def shipped(flow: str) -> Synonyms:
    """The synonyms that come with the flow, by folded name."""
    fields = ALIASES.get(flow, {})
    return {fold(alias): field for field, aliases in fields.items() for alias in (field, *aliases)}


def merged(flow: str, rows: Mapping[str, str]) -> Synonyms:
    """An admin's rows (name → canonical) over the shipped ones, by folded name."""
    own = sorted(rows.items())  # of two spellings of one name the same one wins, however the rows were read
    return {**shipped(flow), **{fold(name): canonical for name, canonical in own}}


def key_of(name: str, known: Synonyms) -> str:
    """What the name counts as, folded. Merges are followed on; a circle of them is one field."""
    path = [fold(name)]
    while path[-1] in known:
        onward = fold(known[path[-1]])
        if onward in path:
            return min(path[path.index(onward) :])
        path.append(onward)
    return path[-1]


def spelling(key: str, known: Synonyms, written: list[str]) -> str:
    """How the field is shown: as a reviewer first wrote this very name, else as what it was merged into."""
    for name in written:
        if fold(name) == key:
            return name
    return next((name for name in known.values() if fold(name) == key), written[0])
