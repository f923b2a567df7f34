"""What properties of products are called, in English and German: the demo's whole knowledge of the world."""

import re

# The spelling that a record gets where the source names none → every other name, German ones last.
SPECIFICATIONS: dict[str, tuple[str, ...]] = {
    "voltage": ("battery voltage", "rated voltage", "spannung", "akkuspannung", "nennspannung"),
    "battery capacity": ("capacity of the battery", "akkukapazität", "kapazität", "batteriekapazität", "akku"),
    "torque": ("max torque", "drehmoment", "max drehmoment"),
    "speed": ("no-load speed", "leerlaufdrehzahl", "drehzahl"),
    "impact rate": ("blow rate", "schlagzahl"),
    "impact energy": ("schlagenergie",),
    "power": ("power consumption", "leistung", "leistungsaufnahme", "nennleistung"),
    "charging time": ("charge time", "ladezeit", "ladedauer"),
    "battery life": ("runtime", "laufzeit", "akkulaufzeit"),
    "battery type": ("akkutyp", "batterietyp"),
    "batteries": ("batterien",),
    "noise level": ("sound pressure level", "noise", "schalldruckpegel", "geräuschpegel", "lautstärke"),
    "vibration": ("schwingung", "vibrationswert"),
    "chuck": ("chuck size", "bohrfutter", "futter"),
    "capacity": ("max load", "maximum load", "höchstlast", "tragkraft", "belastbarkeit"),
    "resolution": ("print resolution", "readability", "auflösung", "druckauflösung", "ablesbarkeit"),
    "print speed": ("druckgeschwindigkeit",),
    "print width": ("max print width", "druckbreite"),
    "tape width": ("bandbreite", "schriftbandbreite"),
    "interface": ("interfaces", "connectivity", "ports", "schnittstelle", "schnittstellen", "anschlüsse"),
    "memory": ("storage", "speicher", "arbeitsspeicher"),
    "display": ("screen", "anzeige", "bildschirm"),
    "protection class": ("ip rating", "schutzart", "schutzklasse"),
    "material": ("werkstoff",),
    "colour": ("color", "farbe"),
    "brand": ("manufacturer", "marke", "hersteller"),
    "model": ("model number", "modell", "modellnummer", "artikelnummer"),
    "volume": ("volumen", "fassungsvermögen", "inhalt"),
    "pressure": ("druck", "pumpendruck"),
    "frequency": ("frequenz",),
    "temperature": ("temperatur",),
    "current": ("strom", "stromstärke"),
    "warranty": ("guarantee", "garantie"),
    "quantity": ("pieces", "menge", "stückzahl"),
}
# Field of the record → its names; a key that is exactly one of them is a size of the product.
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "length": ("length", "länge", "laenge", "long", "lang"),
    "width": ("width", "breite", "wide", "breit"),
    "height": ("height", "höhe", "hoehe", "high", "tall", "hoch"),
    "depth": ("depth", "tiefe", "deep", "tief"),
    "diameter": ("diameter", "durchmesser", "ø", "dia"),
    "weight": (
        "weight",
        "gewicht",
        "mass",
        "masse",
        "net weight",
        "nettogewicht",
        "eigengewicht",
        "weighs",
        "wiegt",
    ),
}
OVERALL = ("size", "sizes", "dimensions", "dimension", "measurements", "measures", "größe", "groesse", "maße",
           "abmessung", "abmessungen", "produktabmessungen", "product dimensions")  # fmt: skip
# The specification that a unit speaks of where no name stands by it, where one does.
BY_UNIT = {
    "V": "voltage", "Ah": "battery capacity", "mAh": "battery capacity", "Nm": "torque", "W": "power", "dB(A)":
    "noise level", "dB": "noise level", "rpm": "speed", "dpi": "resolution", "GB": "memory", "MB": "memory",
    "bar": "pressure", "Hz": "frequency", "l": "volume", "ml": "volume", "pcs": "quantity", "A": "current",
}  # fmt: skip
GERMAN_NAMES = {
    "voltage": "Spannung", "battery capacity": "Kapazität", "torque": "Drehmoment", "power": "Leistung",
    "noise level": "Schalldruckpegel", "speed": "Drehzahl", "resolution": "Auflösung", "memory": "Speicher",
    "pressure": "Druck", "frequency": "Frequenz", "volume": "Volumen", "quantity": "Menge", "current": "Strom",
}  # fmt: skip
# A key that begins so is no size of the product itself, whatever follows.
MODIFIERS = re.compile(
    r"^(?:(?:max|min|ca|approx|approximate|overall|total|product|net|netto|gesamt|maximum|maximale?)\b\.?\s*)+"
)
GERMAN = re.compile(
    r"[äöüß]|\b(?:und|mit|für|ohne|der|die|das|gewicht|spannung|akku|leistung|inkl|bis|zoll|stück)\b",
    re.IGNORECASE,
)


def fold(name: str) -> str:
    """A name as it is compared: lower case, without brackets, full stops and double spaces."""
    return " ".join(re.sub(r"\([^)]*\)|[.:]", " ", name.casefold()).split())


def is_german(text: str) -> bool:
    return len(GERMAN.findall(text)) >= 2


def concept(name: str) -> str:
    """What a name stands for in either language: the key of a table above, else the folded name."""
    folded = fold(name)
    return _CONCEPTS.get(folded) or _CONCEPTS.get(MODIFIERS.sub("", folded)) or folded


def dimension(name: str) -> str | None:
    """The field of the record where the name is one of a size of the product; None for "tape width"."""
    found = concept(name)
    return found if found in DIMENSIONS else None


def is_overall(name: str) -> bool:
    return concept(name) == "dimensions"


_CONCEPTS = {
    **{fold(name): key for key, names in (SPECIFICATIONS | DIMENSIONS).items() for name in (key, *names)},
    **{fold(name): "dimensions" for name in OVERALL},
}
