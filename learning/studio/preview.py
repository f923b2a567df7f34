"""A prompt as it would be sent, for a subcategory or a past run, with triggers as they stand or as set by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.http import QueryDict

from generation import prompts
from generation.admin.prompt_checks import subcategories, usual
from generation.admin.prompt_forms import VersionForm
from generation.assembly import Preview, preview, request_for
from generation.errors import BadInput
from generation.line_diff import Row, rows
from generation.models import Arm, Prompt, PromptVersion, Run, Subcategory
from generation.sizes import Sizes, measure
from learning.annotate import Annotated, annotate, evidence_of
from learning.resolver import resolve
from learning.strips import TRIGGERS, Strip, strips
from learning.studio.by_hand import Chosen, set_by_hand, state_of
from learning.switches import is_off
from learning.triggers import Triggers, decide
from learning.window import Window, window
from review.blindness import shown_rounds
from review.normalise import to_names

VERSIONS = 50  # that can be chosen from the list; any other by its number in the address


@dataclass(frozen=True)
class Asked:
    """What to show. typed: a text that is stored nowhere; withheld: who asks has the run still to review."""

    version: PromptVersion
    typed: bool
    subcategory: Subcategory | None
    run: Run | None
    chosen: Chosen
    names: tuple[str, ...]
    withheld: bool = False


@dataclass(frozen=True)
class Dial:
    """One trigger: its strip, and whether it was set by hand: "", "on" or "off"."""

    strip: Strip
    name: str
    setting: str


@dataclass(frozen=True)
class Shown:
    """The prompt with its reasons, its size, and the lines in which it differs from what is sent now.

    fell_back: names of the steps of learning that failed.
    """

    annotated: Annotated
    sizes: Sizes
    system: Sequence[Row]
    user: Sequence[Row]
    fell_back: Sequence[str]

    @property
    def is_empty(self) -> bool:
        return not self.system and not self.user

    @property
    def added(self) -> int:
        return sum(row.kind == "added" for row in (*self.system, *self.user))

    @property
    def removed(self) -> int:
        return sum(row.kind == "removed" for row in (*self.system, *self.user))


@dataclass(frozen=True)
class Page:
    prompt: Prompt
    asked: Asked
    live: PromptVersion
    window: Window
    triggers: list[Dial]
    shown: Shown | None  # None: refused says why
    refused: str
    off: bool
    budget: int
    token_budget: int

    @property
    def is_live(self) -> bool:
        return self.asked.version.pk == self.live.pk

    @property
    def in_holdout(self) -> bool:
        return self.asked.run is not None and self.asked.run.arm == Arm.CONTROL

    @property
    def run_id(self) -> str:
        return str(self.asked.run.pk) if self.asked.run else ""

    @property
    def versions(self) -> list[PromptVersion]:
        newest = list(self.prompt.versions.order_by("-number")[:VERSIONS])
        return newest if self.asked.typed or self.asked.version in newest else [*newest, self.asked.version]

    @property
    def subcategories(self) -> list[Subcategory]:
        return list(subcategories())

    @property
    def runs(self) -> list[tuple[str, str]]:
        """Past runs to choose from: those of the window, the newest first, and the one that is chosen."""
        found = {str(run.run_id): run.title for run in reversed(self.window.runs)}
        if self.asked.run is not None:
            found.setdefault(str(self.asked.run.pk), self.asked.run.title)
        return list(found.items())


def read(prompt: Prompt, given: QueryDict, user: User) -> Asked:
    """What a request asks for. What is unknown is as if it were not asked for."""
    typed = "user" in given
    version = VersionForm(given).as_typed(prompt) if typed else _version(prompt, given.get("version", ""))
    slug = given.get("subcategory")
    moved_on = slug != given.get("was", slug)  # to another subcategory than that of the run
    run = None if moved_on else _run(prompt.flow, given.get("run", ""))
    withheld = run is not None and run.round not in shown_rounds(user, run)
    found = Subcategory.objects.filter(slug=slug).first() if slug is not None else usual(prompt.flow)
    if run is not None:
        found = run.subcategory
    chosen = {name: given[name] == "on" for name in TRIGGERS if given.get(name) in ("on", "off")}
    names = tuple(to_names(given.get("names", "").split(",")))
    return Asked(version, typed, found, None if withheld else run, chosen, names, withheld)


def show(prompt: Prompt, asked: Asked) -> Page:
    """The page's state. Makes no call and stores nothing."""
    live = prompts.live(prompt.flow, prompt.stage)
    subcategory_id = None if asked.subcategory is None else asked.subcategory.pk
    seen = window(prompt.flow, subcategory_id)
    standing = decide(seen)
    shown, refused = None, ""
    try:
        shown = _shown(prompt, asked, live, standing)
    except BadInput as refusal:
        refused = "; ".join(problem.detail for problem in refusal.problems)
    budgets = settings.INJECTION_BUDGETS
    return Page(
        prompt=prompt,
        asked=asked,
        live=live,
        window=seen,
        triggers=_rows(seen, standing, asked.chosen),
        shown=shown,
        refused=refused,
        off=is_off(subcategory_id),
        budget=budgets["total"],
        token_budget=budgets["tokens"],
    )


def _shown(prompt: Prompt, asked: Asked, live: PromptVersion, standing: Triggers) -> Shown:
    """Against the live version under the same triggers; of the live version itself against the triggers as they
    stand, so that what was set by hand shows."""
    triggers = set_by_hand(standing, asked.chosen, asked.names)
    found = _preview(prompt, asked, asked.version, triggers)
    same_version = asked.version.pk == live.pk
    now = _preview(prompt, asked, live, standing if same_version else triggers)
    assembled = found.assembled
    return Shown(
        annotated=annotate(
            prompt.flow,
            assembled.system,
            assembled.user,
            state_of(triggers, asked.chosen),
            evidence_of(assembled.fragments),
        ),
        sizes=measure(assembled),
        system=rows(now.assembled.system_text, assembled.system_text),
        user=rows(now.assembled.user_text, assembled.user_text),
        fell_back=found.guidance.degradations,
    )


def _preview(prompt: Prompt, asked: Asked, version: PromptVersion, triggers: Triggers) -> Preview:
    return preview(
        flow=prompt.flow,
        stage=prompt.stage,
        subcategory=asked.subcategory,
        run=asked.run,
        version=version,
        guidance=resolve(request_for(prompt.flow, prompt.stage, asked.subcategory, asked.run), triggers),
    )


def _rows(seen: Window, standing: Triggers, chosen: Chosen) -> list[Dial]:
    said = {name: "on" if on else "off" for name, on in chosen.items()}
    return [Dial(strip, strip.name, said.get(strip.name, "")) for strip in strips(seen, standing)]


def _version(prompt: Prompt, number: str) -> PromptVersion:
    found = prompt.versions.filter(number=int(number)).first() if number.isdecimal() and len(number) < 9 else None
    return found or prompts.live(prompt.flow, prompt.stage)


def _run(flow: str, given: str) -> Run | None:
    try:
        run_id = UUID(given)
    except ValueError:
        return None
    return Run.objects.select_related("subcategory").filter(pk=run_id, flow=flow).first()
