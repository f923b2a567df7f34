"""What people read of a criterion, of what a review says of it, and of who judged."""

from collections.abc import Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from generation.models import PromptVersion
from learning.judging.counting import By
from review.words import label

# Those whose name is not the judge's own word for it.
NAMES: dict[str, str | Promise] = {
    "verdict": gettext_lazy("Verdict"),
    "facts": gettext_lazy("Hallucination or fact accuracy"),
    "total": gettext_lazy("Weighted mean"),
    "slo_coverage": gettext_lazy("SLO coverage"),
    "blooms_match": gettext_lazy("Bloom’s level"),
}
# Aspect of a review → the signals that speak of it; as `foldback_judging_of` counts them.
SIGNALS: dict[str, tuple[str, ...]] = {
    "form": ("bad_format",),
    "facts": ("wrong_information",),
    "values": ("wrong_information", "wrong_physical_dimensions"),
    "completeness": ("missing_spec", "information_present_low"),
}


def criterion(name: str) -> str:
    return str(NAMES.get(name) or name.replace("_", " ").capitalize())


def beside(flow: str, aspect: str) -> str:
    """What a criterion is compared with, in the words of the flow's form."""
    signals = [label(flow, signal) for signal in SIGNALS.get(aspect, ())]
    if not signals:
        return _("not approved as it was")
    return _(" or ").join(signals)


def numbers(whose: Iterable[By]) -> dict[int, int]:
    """The number of each version of the judge's prompt, by its id."""
    found = PromptVersion.objects.filter(pk__in={by.version_id for by in whose})
    return dict(found.values_list("pk", "number"))


def who(by: By, number: int | None) -> str:
    """A version and a model, as people name them."""
    version = _("no version") if number is None else _("version %(number)d") % {"number": number}
    return f"{version}, {by.model or _('no model told')}"
