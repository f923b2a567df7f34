"""The mistakes that the demo makes, as weak models make them, and the constants that say how often."""

from enum import StrEnum
from hashlib import sha256


class Fault(StrEnum):
    UNIT_SLIP = "unit_slip"  # centimetres read as millimetres: the signal wrong_physical_dimensions
    WRONG_INFORMATION = "wrong_information"  # a figure altered, or a fact that the source does not have
    LOOSE_FORM = "loose_form"  # units inside values, figures as text, prose around the JSON: bad_format
    MISSING = "missing"  # one specification of the source left out: missing_spec
    GIVING_UP = "giving_up"  # most of what the source says left out: information_present false


# Share of first drafts, without guidance, that have the mistake where the source gives room for it.
FAULT_RATES = {
    Fault.UNIT_SLIP: 0.10,
    Fault.WRONG_INFORMATION: 0.10,
    Fault.LOOSE_FORM: 0.12,
    Fault.MISSING: 0.12,
    Fault.GIVING_UP: 0.06,
}
# In each subcategory the demo is prone to one kind of mistake, as models have their weak spots: it has this rate
# there. With it, about two first drafts in five have no mistake.
PRONE_RATE = 0.45
PRONE_TO = (Fault.UNIT_SLIP, Fault.WRONG_INFORMATION, Fault.LOOSE_FORM, Fault.MISSING)
# Share of those mistakes that a warning in the prompt prevents.
CURE_RATES = {
    Fault.UNIT_SLIP: 0.80,
    Fault.WRONG_INFORMATION: 0.75,
    Fault.LOOSE_FORM: 0.75,
    Fault.MISSING: 0.85,  # of the fields named as those to look for first
    Fault.GIVING_UP: 0.70,
}
REMARK_CURE_RATE = 0.90  # of the mistakes in a draft that feedback or a reviewer's note names
CATCH_RATE = 0.25  # of the mistakes in a draft, the share that the supervisor sees
GUIDED_CATCH_RATE = 0.70  # the same where its prompt warns of the kind
MENDING_RATE = 0.95  # of the values with units in them, the share that the formatter mends

# Of the drafts in loose form: figures as text inside values (a person sees it), sizes as text (the schema refuses
# it, so the formatter runs), and the rest, right JSON in a fence with prose around it.
LOOSE_VALUES, LOOSE_SIZES = 0.65, 0.20


def coin(*what: str) -> float:
    """A number from 0 up to 1 that the words alone decide: the same text has the same fate on every machine."""
    digest = sha256("\x1f".join(what).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:7]) / 256**7


def falls(rate: float, *what: str) -> bool:
    return coin(*what) < rate


def prone_to(subcategory: str) -> Fault | None:
    """The weak spot in a subcategory, by its name; None where no subcategory is named."""
    return PRONE_TO[int(coin("weakness", subcategory) * len(PRONE_TO))] if subcategory else None


def fault_rate(fault: Fault, subcategory: str) -> float:
    return PRONE_RATE if fault == prone_to(subcategory) else FAULT_RATES[fault]
