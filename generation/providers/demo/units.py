"""Numbers and units as product texts write them."""

import re
from dataclasses import dataclass

# Symbol as records have it → other spellings of it.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "mm": ("millimetre", "millimeter"),
    "cm": ("centimetre", "centimeter", "Zentimeter"),
    "m": ("metre", "meter"),
    "km": (),
    "in": ("Zoll", "inch", "inches", '"', "″", "”", "''"),
    "ft": ("Fuß", "feet"),
    "mg": (),
    "g": ("gram", "grams", "Gramm", "gr"),
    "kg": ("kilogram", "kilograms", "kilo", "kgs"),
    "lb": ("lbs", "pound", "pounds"),
    "oz": ("ounce", "ounces", "Unzen"),
    "V": ("Volt", "Volts"),
    "W": ("Watt", "Watts"),
    "kW": (),
    "A": ("Ampere", "amps"),
    "mA": (),
    "Ah": (),
    "mAh": (),
    "Wh": (),
    "Nm": (),
    "N": (),
    "J": (),
    "rpm": ("U/min", "r/min"),
    "bpm": (),
    "min-1": ("min⁻¹",),
    "1/min": (),
    "dB": (),
    "dB(A)": (),
    "dpi": (),
    "mm/s": (),
    "m/s": (),
    "m/s2": ("m/s²",),
    "s": ("sec", "seconds"),
    "ms": (),
    "min": ("minutes", "minute", "mins", "Minuten", "Min."),
    "h": ("hours", "hour", "hrs", "Std.", "Stunden", "Std"),
    "l": ("L", "litre", "litres", "liter", "liters"),
    "ml": ("mL",),
    "l/min": (),
    "bar": (),
    "psi": (),
    "Hz": (),
    "kHz": (),
    "MB": (),
    "GB": (),
    "TB": (),
    "°C": (),
    "°F": (),
    "%": (),
    "lm": (),
    "K": (),
    "pcs": ("pieces", "piece", "pc", "Pcs", "Stück", "Stk"),
}
SYMBOLS = {spelling: unit for unit, others in SPELLINGS.items() for spelling in (unit, *others)}
LENGTHS = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, "ft": 304.8}
WEIGHTS = {"mg": 0.001, "g": 1.0, "kg": 1000.0, "lb": 453.592, "oz": 28.3495}
METRIC = ("mm", "cm", "m", "g", "kg", "mg")
FRACTIONS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8}

# 6 1/2 · 3½ · 1.900,5 · ½
NUMBER = (
    r"(?:\d{1,4} \d{1,2}/\d{1,2}(?!\d)|\d{1,9}(?:[.,]\d{1,6}){0,3} ?[½¼¾⅓⅔⅛⅜⅝]"
    r"|\d{1,9}(?:[.,]\d{1,6}){0,3}|[½¼¾⅓⅔⅛⅜⅝])"
)
_WRITTEN = sorted(SYMBOLS, key=len, reverse=True)
# A symbol ends where its word ends, and "2 in 1" is no length.
_END = r"(?<!\bin(?= 1\b))(?<!\din(?= 1\b))(?![\w²³])"
UNIT = "(?:" + "|".join(re.escape(word) for word in _WRITTEN) + ")" + _END
_FOLDED = {word.casefold(): symbol for word, symbol in reversed(SYMBOLS.items())}
# Case tells M (a size of shoes) from m and A from a: single letters are read as written.
_UNIT_AT = re.compile(rf"\s?({UNIT})")
_LONGER = "|".join(re.escape(word) for word in _WRITTEN if len(word) > 1)
_UNIT_AT_ANY_CASE = re.compile(rf"\s?({_LONGER}){_END}", re.IGNORECASE)
_SERIES = re.compile(rf"{NUMBER}(?:\s?(?:-|–|/|to|bis)\s?{NUMBER})*")
_NUMBER = re.compile(NUMBER)
HEDGE_WORD = (
    r"(?:ca|circa|approx|approximately|about|around|roughly|max|min|up to|bis zu|bis|etwa|rund|nominal|je)\.?"
)
_HEDGE = re.compile(rf"^(?:(?:{HEDGE_WORD}(?![a-z])|[~≈<>≤≥±])\s*)+", re.IGNORECASE)
_WORD_UNIT = re.compile(r"\s([A-Za-zµ°%²³/]{1,12})\.?$")


@dataclass(frozen=True)
class Quantity:
    """A number with its unit symbol; text where it is a range or a series ("0-480 / 0-1800")."""

    value: int | float | str
    unit: str | None

    @property
    def is_number(self) -> bool:
        return not isinstance(self.value, str)


def number(written: str, german: bool = False) -> int | float:
    """The number that was meant: 1.900 is 1900 in a German text, 1,900 is 1900 in an English one."""
    text = written.strip()
    whole, fraction = 0.0, 0.0
    for sign, share in FRACTIONS.items():
        if sign in text:
            text, fraction = text.replace(sign, "").strip(), share
    if "/" in text:
        head, _, ratio = text.rpartition(" ")
        over, _, under = ratio.partition("/")
        text, fraction = head, int(over) / max(int(under), 1)
    if text:
        found = _plain(text, german)
        if not fraction:
            return found
        whole = found
    return round(whole + fraction, 4)


def _plain(text: str, german: bool) -> int | float:
    thousands = "." if german else ","
    if re.fullmatch(rf"[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+", text):
        return int(text.replace(thousands, ""))
    if text.count(".") + text.count(",") > 1:
        text = text.replace(thousands, "")
    text = text.replace(",", ".")
    if text.count(".") > 1:
        return int(text.replace(".", ""))
    return float(text) if "." in text else int(text)


def quantity(text: str, german: bool = False) -> tuple[Quantity, str] | None:
    """The quantity that the text begins with, and the rest after it; None where it begins with none."""
    text = without_hedge(text)
    series = _SERIES.match(text)
    if series is None:
        return None
    unit, rest = _unit(text[series.end() :])
    written = series.group()
    value: int | float | str = number(written, german) if _NUMBER.fullmatch(written) else _normal(written, german)
    return Quantity(value, unit), rest


def without_hedge(text: str) -> str:
    """Without "about", "ca." and the like in front."""
    return _HEDGE.sub("", text.strip())


def measured(text: str, german: bool = False) -> Quantity | None:
    """A whole value: a quantity with a known unit, in metric where both stand; or a bare number, or a number
    with one word as its unit. None for everything else."""
    found = quantity(text, german)
    if found is None:
        return None
    first, rest = found
    if first.unit is not None:
        return _metric(first, rest, german)
    if not rest.strip(" ."):
        return first
    word = _WORD_UNIT.fullmatch(rest.rstrip())
    return Quantity(first.value, word.group(1)) if word and word.group(1).casefold() not in ("x", "in") else None


def _metric(first: Quantity, rest: str, german: bool) -> Quantity:
    other = quantity(rest.lstrip(" (/="), german) if rest.lstrip()[:1] in ("(", "/", "=") else None
    if other and first.unit not in METRIC and other[0].unit in METRIC and same_kind(first.unit, other[0].unit):
        return other[0]
    return first


def symbol(written: str) -> str:
    """The symbol of a unit in any spelling; the spelling itself where it is unknown."""
    return SYMBOLS.get(written) or _FOLDED.get(written.casefold(), written)


def same_kind(one: str | None, other: str | None) -> bool:
    return any(one in kind and other in kind for kind in (LENGTHS, WEIGHTS))


def _unit(text: str) -> tuple[str | None, str]:
    found = _UNIT_AT.match(text) or _UNIT_AT_ANY_CASE.match(text)
    if found is None:
        return None, text
    written = found.group(1)
    return SYMBOLS.get(written) or _FOLDED[written.casefold()], text[found.end() :]


def _normal(series: str, german: bool) -> str:
    """A series with plain numbers: "0-1.500" becomes "0-1500" in a German text."""
    return _NUMBER.sub(lambda found: str(number(found.group(), german)), series)
