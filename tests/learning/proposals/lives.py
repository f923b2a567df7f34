"""Subcategories whose reviewers keep saying the same, as rows: runs, the guidance their prompts held, reviews."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from generation import prompts
from generation.models import Call, Injection, Run, Subcategory
from generation.sanitizer import quote
from learning.models import Proposal
from learning.resolver import LABELS
from learning.studio.proposals import deciding, finding
from review.models import ReviewEvent
from tests.factories import CategoryFactory, DraftFactory, RunFactory, SubcategoryFactory
from tests.learning.histories import said

SIZES = {"wrong_physical_dimensions": True, "decision": "revise", "notes": "length in cm read as mm"}
FACTS = {"wrong_information": True, "decision": "revise", "notes": "Reads to 0.1 g, not to 0.01 g."}
CHARGING = {"missing_spec": ["charging time"], "decision": "revise"}
GUIDANCE = "Reviewers found wrong dimensions. Check each one."
ASKING = f"Reviewers missed these:\n{quote(LABELS['names'], '- charging time')}"


def told(run: Run, key: str, text: str = "", *, round: int = 1) -> Call:
    """A call of the run whose prompt held this guidance."""
    call = Call.objects.create(run=run, round=round, stage=key.rsplit(".", 1)[-1], provider="demo", attempt=1)
    Injection.objects.create(
        call=call, placeholder="EXTRACTION_REVIEW", guidance_key=key, text=text or GUIDANCE, reason="x"
    )
    return call


def run_of(
    subcategory: Subcategory, *reviews: dict[str, Any], key: str = "", text: str = "", **fields: Any
) -> Run:
    title = f"{subcategory.name.removesuffix('s')} no. {Run.objects.count() + 1}"
    run: Run = RunFactory(subcategory=subcategory, title=title, **fields)
    DraftFactory(run=run)
    if key:
        told(run, key, text)
    for review in reviews:
        said(run, **{"created_at": timezone.now()} | review)
    return run


def came_back(subcategory: Subcategory, raised: int = 3, of: int = 10) -> list[Run]:
    """Runs whose prompts held the guidance on sizes; so many raised it again, the first ones."""
    key = "wrong_physical_dimensions.extraction"
    return [run_of(subcategory, SIZES if n < raised else {}, key=key) for n in range(of)]


def still_missing(subcategory: Subcategory, raised: int = 3, of: int = 10) -> list[Run]:
    return [
        run_of(subcategory, CHARGING if n < raised else {}, key="missing_spec.extraction", text=ASKING)
        for n in range(of)
    ]


def stayed_on(subcategory: Subcategory, runs: int = 20, review: dict[str, Any] = SIZES) -> list[Run]:
    """Every second run raised it; nothing was ever told."""
    return [run_of(subcategory, review if n % 2 == 0 else {}) for n in range(runs)]


def events_of(*runs: Run) -> list[int]:
    return list(ReviewEvent.objects.filter(run__in=runs).order_by("id").values_list("pk", flat=True))


def proposals(people: list[User]) -> list[Proposal]:
    """Pages with something on them: a correction that came back in two subcategories, a field that stays missing,
    a trigger that stayed on, and one of each decision. The open ones, the newest first."""
    prompts.seed()
    kitchen = CategoryFactory(name="Workshop and kitchen")
    named = ["Cordless drills", "Orbital sanders", "Coffee scales", "Label printers", "Vacuum cleaners"]
    drills, sanders, scales, printers, vacuums = (
        SubcategoryFactory(name=name, slug=name.lower().replace(" ", "-"), category=kitchen) for name in named
    )
    came_back(vacuums, raised=4)
    still_missing(printers)
    for made, decide in zip(finding.find(), (_declined, _accepted), strict=True):
        decide(made, people[0])
    came_back_as_form(drills, raised=5)
    came_back_as_form(sanders)
    still_missing(scales, raised=6)
    stayed_on(scales, runs=28, review=FACTS)
    finding.find()
    return list(Proposal.objects.open())


def came_back_as_form(subcategory: Subcategory, raised: int = 3, of: int = 10) -> list[Run]:
    """As `came_back`, with what reviewers write about a loose form."""
    note = "Two facts stand in one specification, and the voltage is written as text with its unit."
    review = {"bad_format": True, "decision": "revise", "notes": note}
    return [run_of(subcategory, review if n < raised else {}, key="bad_format.extraction") for n in range(of)]


def _declined(proposal: Proposal, by: User) -> None:
    deciding.decline(proposal, by=by, why="The feeds of three shops left it out. They are mended.")


def _accepted(proposal: Proposal, by: User) -> None:
    live = prompts.live(proposal.flow, proposal.stage)
    deciding.accept(
        proposal, by=by, text=proposal.text, place="guidance", note="asked for by all", live_seen=live.number
    )
