"""The demo's clinical questions: cases of a teaching collection, and a reviewer who follows fixed rules."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from generation.flows.question.source import render
from generation.intake import parse
from generation.models import Category, Subcategory
from generation.providers.demo.question.case import case
from generation.providers.demo.question.mistakes import Slip, slips_in
from generation.runs import create
from learning.demo.content import FOLDER
from learning.demo.rounds import to_the_end
from review.models import Decision
from review.recording import Fields

CATEGORY = {
    "acute-chest-pain": ("Acute chest pain", "Clinical questions"),
    "electrolyte-disorders": ("Electrolyte disorders", "Clinical questions"),
}
REVIEWED = {"acute-chest-pain": 5, "electrolyte-disorders": 1}  # the rest waits in the queue
NOTES = {
    Slip.MIXED_UP: "One finding is wrong, it belongs to another option.",
    Slip.FIGURE: "A figure has lost its decimal point.",
    Slip.MISSING: "The vital signs are missing.",
    Slip.THIN: "Too little in the case decides between the options.",
    Slip.NEGATED: "The stem is negated, ask for what fits.",
    Slip.WEAK: "One of the distractors is implausible.",
    Slip.LETTERED: "The options have letters of their own.",
}


@dataclass(frozen=True)
class Exercise:
    subcategory: str
    source: dict[str, str]

    def review(self, record: Mapping[str, Any], last_round: bool) -> Fields:
        """The form as the rules fill it: approve what is faultless, revise what is not, reject what stays so."""
        slips = slips_in(case(render(self.source)), record)
        decision = Decision.REJECT if last_round else Decision.REVISE
        return Fields(
            decision=decision if slips else Decision.APPROVE,
            information_present=Slip.THIN not in slips,
            missing_spec=["vital signs"] if Slip.MISSING in slips else [],
            bad_format=bool(slips & {Slip.LETTERED, Slip.NEGATED, Slip.DOUBLED, Slip.WRONG_KEY, Slip.SHORT}),
            wrong_information=Slip.MIXED_UP in slips,
            wrong_physical_dimensions=Slip.FIGURE in slips,
            notes=" ".join(NOTES[slip] for slip in Slip if slip in slips and slip in NOTES),
        )


def exercises() -> list[Exercise]:
    """Per subcategory a table of what to tell apart, then a case each: topic, objective, level; the patient."""
    found: list[Exercise] = []
    for part in (FOLDER / "questions.txt").read_text(encoding="utf-8").split("\n===\n"):
        table, *cases = part.strip().split("\n---\n")
        name, _, material = table.partition("\n")
        for one in cases:
            head, _, patient = one.partition("\n")
            topic, objective, level = head.split(" | ")
            source = {"topic": topic, "objective": objective, "blooms_level": level}
            found.append(Exercise(name.removeprefix("# "), {**source, "material": f"{patient}\n{material}"}))
    return found


def load(people: list[User]) -> None:
    for slug, (name, category) in CATEGORY.items():
        parent, _ = Category.objects.get_or_create(name=category)
        Subcategory.objects.get_or_create(slug=slug, defaults={"name": name, "category": parent})
    seen: Counter[str] = Counter()
    for exercise in exercises():
        run = create(parse(body_of(exercise)))
        seen[exercise.subcategory] += 1
        if seen[exercise.subcategory] <= REVIEWED[exercise.subcategory]:
            to_the_end(run, exercise.review, people[seen.total() % len(people)])


def body_of(exercise: Exercise) -> dict[str, object]:
    """The body of `POST /runs` for this exercise."""
    return {
        "flow": "question",
        "subcategory": exercise.subcategory,
        "source": exercise.source,
        "metadata": {"demo": True},
    }
