"""Learning pages with something on them: subcategories with their reviews, as a team would have left them."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from generation import prompts
from generation.models import Category, Prompt, Subcategory
from learning import guidance
from review.models import Claim
from tests.factories import DraftFactory, RunFactory
from tests.learning.histories import Review, said

RECORD = {
    "name": "Hofmeister HB 14",
    "specifications": [{"name": "battery voltage", "value": 14.4, "unit": "V"}],
    "dimensions": {"length": {"value": 194, "unit": "mm"}},
}
CLEAN = {
    "information_present": True,
    "bad_format": False,
    "wrong_information": False,
    "wrong_physical_dimensions": False,
}
SIZES = CLEAN | {"wrong_physical_dimensions": True, "decision": "revise", "notes": "length in cm read as mm"}
CHARGING = CLEAN | {"missing_spec": ["charging time"], "decision": "revise"}
FACTS = CLEAN | {"wrong_information": True, "decision": "revise", "notes": "impact rate is of the hammer version"}
FORM = CLEAN | {"bad_format": True, "decision": "reject"}
THIN = CLEAN | {"information_present": False, "decision": "approve"}
UNSET: Review = {}

# name → its category, and its reviews, the oldest first
HISTORIES: dict[str, tuple[str, list[Review]]] = {
    "Cordless drills": ("Power tools", [FACTS, SIZES, CLEAN, SIZES, CLEAN, FORM, CLEAN, CHARGING, CLEAN, SIZES,
                                        CLEAN, UNSET, THIN, SIZES, CHARGING, CLEAN, FACTS, CHARGING, SIZES]),
    "Label printers": ("Office", [CLEAN, FACTS, FACTS, FORM, CLEAN, FACTS, UNSET, FORM, FACTS, FORM, CLEAN, THIN]),
    "Coffee scales": ("Kitchen", [CLEAN, FORM, CLEAN, CLEAN, THIN, CLEAN, CLEAN, CLEAN, UNSET, CLEAN, CLEAN]),
    "Coffee grinders": ("Kitchen", [CLEAN, THIN, THIN, CLEAN]),
}  # fmt: skip


def learned(people: list[User]) -> list[Subcategory]:
    """The histories above with runs that wait, a prompt that moved, and the shipped texts as rows."""
    prompts.seed()
    guidance.seed()
    made = [_subcategory(name, *given, people) for name, given in HISTORIES.items()]
    live = prompts.live("item", "extraction")
    prompt = Prompt.objects.get(pk=live.prompt_id)
    version = prompts.save_version(
        prompt,
        system=live.system,
        user=f"{live.user}\nGive the unit in its own field.",
        author=people[0],
        note="units",
    )
    prompts.make_live(version, by=people[0], why="units before values")
    return made


def _subcategory(name: str, category: str, reviews: list[Review], people: list[User]) -> Subcategory:
    now = timezone.now()
    subcategory = Subcategory.objects.create(
        name=name, slug=name.lower().replace(" ", "-"), category=Category.objects.get_or_create(name=category)[0]
    )
    for number, review in enumerate(reviews):
        at = now - timedelta(hours=3 + 11 * (len(reviews) - number))
        title = f"{name.removesuffix('s')} {number + 1}"
        status = {"revise": "queued", "reject": "rejected"}.get(str(review.get("decision")), "approved")
        run = RunFactory(subcategory=subcategory, title=title, status=status, created_at=at, changed_at=at)
        draft = DraftFactory(run=run, content=RECORD | {"name": title})
        said(run, draft=draft, created_at=at, reviewer=people[number % len(people)], **review)
    for number, hours in enumerate((0.2, 3, 9, 30, 70)):
        at = now - timedelta(hours=hours)
        run = RunFactory(subcategory=subcategory, title=f"{name} in wait", created_at=at, changed_at=at)
        if number == 1:
            Claim.objects.create(run=run, reviewer=people[-1], expires_at=now + timedelta(minutes=9))
    return subcategory
