"""Judges beside people, as a team would have left them: an editorial judge in two versions, and a rubric."""

from random import Random

from django.contrib.auth.models import User

from generation import prompts
from generation.models import Institution, PromptVersion, Subcategory
from learning import facts
from tests.factories import SubcategoryFactory
from tests.learning.judging.pairs import criteria, pair, rubric

NAMES = ("format", "hallucination", "fact_accuracy", "content_completeness")
SIGNALS = {"format": "bad_format", "hallucination": "wrong_information", "fact_accuracy": "wrong_information"}


def judged(people: list[User]) -> None:
    """Counted, too."""
    prompts.seed()
    chance, place = Random(8), SubcategoryFactory(name="Slow fashion")
    first = prompts.live("editorial", "judge")
    second = prompts.save_version(first.prompt, system=first.system, user=f"Be strict.\n{first.user}")
    for version, hits, runs in [(first, 0.55, 60), (second, 0.85, 45)]:
        for number in range(runs):
            _editorial(chance, version, hits, place, f"Linen page {version.number}.{number + 1}", people)
    chest = SubcategoryFactory(name="Acute chest pain")
    for slug, name, level in [("charite", "Charité", "0.70"), ("north", "North Medical School", "0.62")]:
        house = Institution.objects.create(slug=slug, name=name, quality_threshold=level)
        for number in range(70):
            _question(chance, house, chest, f"Chest pain {number + 1}", people)
    facts.fold()


def _editorial(
    chance: Random, version: PromptVersion, hits: float, place: Subcategory, title: str, people: list[User]
) -> None:
    bad = {name for name in NAMES if chance.random() < 0.16}
    said = {name: not (chance.random() < (hits if name in bad else 0.06)) for name in NAMES}
    review: dict[str, object] = {signal: True for name, signal in SIGNALS.items() if name in bad}
    review |= {"missing_spec": ["price"] if "content_completeness" in bad else []}
    decision = "approve" if not bad else chance.choice(["revise", "reject"])
    outcome = "unavailable" if chance.random() < 0.03 else "passed" if all(said.values()) else "failed"
    model = "claude-sonnet-4-5" if version.number == 1 else "claude-opus-4-1"
    pair(
        outcome, review | {"decision": decision, "reviewer": chance.choice(people)}, flow="editorial",
        kind="criteria", result=criteria(**said), version=version, model=model, title=title, subcategory=place,
        status="approved" if decision == "approve" else "rejected",
    )  # fmt: skip


def _question(chance: Random, house: Institution, place: Subcategory, title: str, people: list[User]) -> None:
    good = chance.random() < 0.62
    mean = min(0.98, max(0.2, round(chance.gauss(0.78 if good else 0.62, 0.1), 2)))
    level, valid = float(house.quality_threshold), chance.random() < 0.95
    pair(
        "passed" if mean >= level and valid else "failed",
        {"decision": "approve" if good else "reject", "wrong_information": None if good else True,
         "reviewer": chance.choice(people)},
        flow="question", kind="rubric", result=rubric(mean, level, valid=valid), institution=house,
        version=prompts.live("question", "judge"), model="claude-sonnet-4-5", title=title, subcategory=place,
        status="approved" if good else "rejected",
    )  # fmt: skip
