"""Sizes that stand together: "19,4 x 6,6 x 25,2 cm (L x B x H)"."""

import re

from generation.providers.demo import units
from generation.providers.demo.units import Quantity

AXES = {"l": "length", "b": "width", "w": "width", "h": "height", "t": "depth", "d": "depth", "ø": "diameter"}
USUAL = ("length", "width", "height")
# "L 194", "194 (L)", "194 mm"
_ONE = re.compile(
    rf"(?P<axis>[LBWHTDØlbwhtdø])?[.:]?\s?(?P<number>{units.NUMBER})\s?(?P<unit>{units.UNIT})?"
    rf"(?:\s?\((?P<after>[LBWHTDlbwhtd])\)(?:\s?(?P<late>{units.UNIT}))?)?"
)
_NEXT = re.compile(r"\s*(?:[x×*/]|by|mal)\s*")
_ORDER = re.compile(
    r"(?<!\w)([lbhtwdø])\s?[x×/*]\s?([lbhtwdø])(?:\s?[x×/*]\s?([lbhtwdø]))?(?!\w)|\b([lbhtwd]{3})\b", re.IGNORECASE
)


def overall_sizes(key: str, value: str, german: bool) -> dict[str, Quantity]:
    """Two or three lengths in a row by field. Empty where there are none, or no unit is named."""
    found = _row(value.strip(), german)
    if not 2 <= len(found) <= 3:
        return {}
    unit = next((unit for _, _, unit in reversed(found) if unit), None)
    if unit not in units.LENGTHS:
        return {}
    order = _order(value) or _order(key) or USUAL
    sizes: dict[str, Quantity] = {}
    for position, (axis, amount, own) in enumerate(found):
        name = AXES.get(axis) or order[min(position, len(order) - 1)]
        sizes.setdefault(name, Quantity(amount, own or unit))
    return sizes


def _row(text: str, german: bool) -> list[tuple[str, int | float, str | None]]:
    """(axis letter or "", number, unit symbol or None) of each length of a row."""
    text = units.without_hedge(text)
    found: list[tuple[str, int | float, str | None]] = []
    position = 0
    while part := _ONE.match(text, position):
        unit = part["unit"] or part["late"]
        axis = (part["axis"] or part["after"] or "").lower()
        found.append((axis, units.number(part["number"], german), units.SYMBOLS[unit] if unit else None))
        onward = _NEXT.match(text, part.end())
        if onward is None or len(found) == 4:
            break
        position = onward.end()
    return found


def _order(text: str) -> tuple[str, ...]:
    """The fields in the order that "(L x B x H)" or "LBH" tells."""
    found = _ORDER.search(text)
    if found is None:
        return ()
    letters = found.group(4) or "".join(filter(None, found.groups()[:3]))
    return tuple(AXES[letter] for letter in letters.lower())
