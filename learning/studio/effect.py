"""What a guidance text does to its prompt: the live one as it would be sent, the text in it, and what it takes."""

from dataclasses import dataclass, replace

from django.conf import settings

from generation.assembly import Assembled, assemble, values_of
from generation.flows import flow as flow_named
from generation.guidance import Fragment, Guidance, GuidanceRequest, ask
from generation.models import PromptVersion, Subcategory
from generation.placeholders import own
from generation.prompts import version_for
from generation.sanitizer import harmless, one_line, quote
from learning.annotate import Annotated, annotate, evidence_of
from learning.influence import Line, lines
from learning.injections import bound, size
from learning.resolver import LABELS, filled
from learning.strips import TRIGGERS
from learning.triggers import Triggers, decide
from learning.window import window

SAMPLES = {
    "names": ("charging time", "weight"),
    "note": ("The unit is wrong in the second line.",),
    "subcategory": ("cordless-drills",),
}


@dataclass(frozen=True)
class Effect:
    """One stage's prompt with the text in it. forced: it would not be there now, and is shown all the same."""

    line: Line
    version: PromptVersion
    annotated: Annotated
    forced: bool
    holds: bool  # whether the live prompt has the placeholder at all
    characters: int
    tokens: int
    used: int  # characters of all that is injected
    budget: int

    @property
    def is_over(self) -> bool:
        return self.used > self.budget


def effect(flow: str, line: Line, text: str, subcategory: Subcategory | None) -> Effect:
    """The prompt of the line's stage for a subcategory, or for none, as if the line spoke with these words.

    Makes no call and writes nothing."""
    version = version_for(flow, line.stage, {})
    found = ask(GuidanceRequest(flow, line.stage, None if subcategory is None else subcategory.pk))
    triggers = None if subcategory is None else decide(window(flow, subcategory.pk))
    speaks = any(fragment.guidance_key == line.key for fragment in found.fragments)
    fragments = _with(flow, line, text, found, triggers)
    assembled = _assembled(flow, line, version, replace(found, fragments=fragments), subcategory)
    said = next(fragment for fragment in fragments if fragment.guidance_key == line.key)
    guiding = [fragment for fragment in fragments if fragment.reason != "example"]
    state = None if triggers is None else triggers.as_json()
    return Effect(
        line=line,
        version=version,
        annotated=annotate(flow, assembled.system, assembled.user, state, evidence_of(assembled.fragments)),
        forced=not speaks,
        holds=f"<<{own(line.stage)}>>" in version.system + version.user,
        characters=len(said.text),
        tokens=bound([said]),
        used=size(guiding),
        budget=settings.INJECTION_BUDGETS["total"],
    )


def _assembled(
    flow: str, line: Line, version: PromptVersion, guidance: Guidance, subcategory: Subcategory | None
) -> Assembled:
    values = values_of(flow_named(flow), version, source=None, subcategory=subcategory)
    return assemble(flow=flow, stage=line.stage, version=version, guidance=guidance, values=values)


def _with(flow: str, line: Line, text: str, found: Guidance, triggers: Triggers | None) -> tuple[Fragment, ...]:
    """What speaks now, with this text in the place of the line's, or put where the line stands in the map."""
    order = [one.key for one in lines(flow, line.stage)]
    now = next((fragment for fragment in found.fragments if fragment.guidance_key == line.key), None)
    evidence = triggers[line.trigger].evidence if line.trigger and triggers is not None else ()
    said = Fragment(
        own(line.stage),
        filled(text, line.fills, _sample(line, triggers)),
        reason=now.reason if now else line.trigger if line.trigger in TRIGGERS else line.signal,
        guidance_key=line.key,
        evidence=now.evidence if now else evidence,
    )
    others = [fragment for fragment in found.fragments if fragment.guidance_key != line.key]
    before = [
        one
        for one in others
        if one.guidance_key in order and order.index(one.guidance_key) < order.index(line.key)
    ]
    return (*before, said, *(one for one in others if one not in before))


def _sample(line: Line, triggers: Triggers | None) -> str:
    """What people wrote, where the line quotes them: the window's most missed fields, else an example."""
    if not line.fills:
        return ""
    words: tuple[str, ...] = SAMPLES[line.fills]
    if line.fills == "names" and triggers is not None and line.trigger and triggers[line.trigger].fields:
        words = tuple(field.name for field in triggers[line.trigger].fields[:3])
    if line.fills == "names":
        return quote(LABELS["names"], "\n".join(f"- {one_line(name, 80)}" for name in words))
    return quote(LABELS[line.fills], harmless(words[0], 400))
