"""What the editor says while somebody types: placeholders, sizes, what is cached, what differs from live."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from generation import prompts
from generation.assembly import preview
from generation.errors import BadInput
from generation.models import Prompt, PromptVersion, Run, Subcategory
from generation.placeholders import Fault, faults, missing, own
from generation.sizes import Cut, Sizes, cut_of, measure
from generation.version_diff import VersionDiff

PARTS: tuple[tuple[str, Promise], ...] = (("system", _("System prompt")), ("user", _("User prompt")))


@dataclass(frozen=True)
class Found:
    """One bad placeholder, and where a browser finds it: its units are those of UTF-16."""

    field: str
    label: Promise
    fault: Fault
    start: int
    end: int


@dataclass(frozen=True)
class Checked:
    """missing: required and nowhere in the user prompt. mute: the placeholder of guidance, where no text has it.

    sizes: None where a placeholder cannot be filled. subcategory: whose guidance was counted.
    """

    found: Sequence[Found]
    missing: Sequence[str]
    mute: str
    sizes: Sizes | None
    cut: Cut | None
    subcategory: Subcategory | None
    against: VersionDiff

    @property
    def is_good(self) -> bool:
        return not self.found and not self.missing


def check(typed: PromptVersion, subcategory: Subcategory | None) -> Checked:
    """Writes nothing and makes no call."""
    prompt = typed.prompt
    carrier = own(prompt.stage)
    return Checked(
        found=[found for name, label in PARTS for found in _found(prompt, name, label, getattr(typed, name))],
        missing=missing(prompt.flow, prompt.stage, typed.user),
        mute="" if f"<<{carrier}>>" in typed.system + typed.user else carrier,
        sizes=_sizes(typed, subcategory),
        cut=cut_of(typed.user),
        subcategory=subcategory,
        against=VersionDiff(prompts.live(prompt.flow, prompt.stage), typed),
    )


def _found(prompt: Prompt, name: str, label: Promise, text: str) -> list[Found]:
    found = []
    for fault in faults(prompt.flow, prompt.stage, text):
        start = _units(text[: fault.start])
        found.append(Found(name, label, fault, start, start + _units(fault.whole)))
    return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _sizes(typed: PromptVersion, subcategory: Subcategory | None) -> Sizes | None:
    prompt = typed.prompt
    try:
        shown = preview(flow=prompt.flow, stage=prompt.stage, subcategory=subcategory, version=typed)
    except BadInput:
        return None
    return measure(shown.assembled)


def subcategories() -> QuerySet[Subcategory]:
    return Subcategory.objects.select_related("category").order_by("category__name", "name")


def usual(flow: str) -> Subcategory | None:
    """The first subcategory in which people reviewed anything of the flow."""
    reviewed = Run.objects.reviewed().filter(flow=flow, subcategory=OuterRef("pk"))
    return Subcategory.objects.filter(Exists(reviewed)).order_by("name").first()
