"""The demo's editorials: curated topics, and a reviewer who follows fixed rules."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from generation.flows.editorial.source import render
from generation.intake import parse
from generation.models import Category, Subcategory
from generation.providers.demo.editorial.compare import differences
from generation.providers.demo.faults import Fault
from generation.runs import create
from learning.demo.content import FOLDER
from learning.demo.rounds import to_the_end
from review.models import Decision
from review.recording import Fields

CATEGORY = {"slow-fashion": ("Slow fashion", "Magazine"), "desk-objects": ("Desk objects", "Magazine")}
REVIEWED = {"slow-fashion": 5, "desk-objects": 1}  # the rest waits in the queue


@dataclass(frozen=True)
class Page:
    subcategory: str
    source: dict[str, Any]

    def review(self, record: Mapping[str, Any], last_round: bool) -> Fields:
        return review(self.source, record, last_round=last_round)


def pages() -> list[Page]:
    return [Page(**page) for page in json.loads((FOLDER / "editorials.json").read_text(encoding="utf-8"))]


def load(people: list[User]) -> None:
    for slug, (name, category) in CATEGORY.items():
        parent, _ = Category.objects.get_or_create(name=category)
        Subcategory.objects.get_or_create(slug=slug, defaults={"name": name, "category": parent})
    seen: Counter[str] = Counter()
    for page in pages():
        run = create(parse(body_of(page)))
        seen[page.subcategory] += 1
        if seen[page.subcategory] <= REVIEWED[page.subcategory]:
            to_the_end(run, page.review, people[seen.total() % len(people)])


def body_of(page: Page) -> dict[str, object]:
    """The body of `POST /runs` for this page."""
    return {
        "flow": "editorial",
        "subcategory": page.subcategory,
        "source": page.source,
        "metadata": {"demo": True},
    }


def review(source: Mapping[str, Any], record: Mapping[str, Any], *, last_round: bool = False) -> Fields:
    """The form as the rules fill it: approve what is faultless, revise what is not, reject what stays so."""
    found = differences(record, render(source))
    faults = {one.fault for one in found}
    decision = Decision.REJECT if last_round else Decision.REVISE
    return Fields(
        decision=decision if found else Decision.APPROVE,
        information_present=Fault.GIVING_UP not in faults,
        missing_spec=[one.field for one in found if one.fault == Fault.MISSING],
        bad_format=Fault.LOOSE_FORM in faults,
        wrong_information=Fault.WRONG_INFORMATION in faults,
        wrong_physical_dimensions=Fault.UNIT_SLIP in faults,
        notes=found[0].reason[:1].upper() + found[0].reason[1:] if found else "",
    )
