"""Records that two people or more reviewed, with what each said: rows alone, as submitting leaves them."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User

from generation.models import Run, Status, Subcategory
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory

Said = dict[str, Any]
FINE: Said = {
    "information_present": True,
    "bad_format": False,
    "wrong_information": False,
    "wrong_physical_dimensions": False,
}


def together(people: Sequence[User], *said: Said, **given: Any) -> Run:
    """A decided run, and what each of these people said of it."""
    run: Run = RunFactory(**{"status": Status.APPROVED, **given})
    draft = DraftFactory(run=run)
    for number, (user, fields) in enumerate(zip(people, said, strict=False), start=1):
        ReviewEventFactory(run=run, draft=draft, sequence=number, reviewer=user, blind=True, **(FINE | fields))
    return run


def reviewed_together(people: Sequence[User], subcategory: Subcategory | None = None) -> list[Run]:
    """60 records: they agree on the format, differ on facts, and hardly ever see wrong sizes."""
    place = subcategory or SubcategoryFactory(name="Cordless drills")
    made = []
    for number in range(60):
        bad, wrong = number % 4 == 0, number % 3 == 0
        first: Said = {"bad_format": bad, "wrong_information": wrong}
        second: Said = {"bad_format": bad and number != 8, "wrong_information": number % 5 == 0}
        first["decision"] = "revise" if bad else "approve"
        second["decision"] = "reject" if bad and number % 8 == 0 else first["decision"]
        if number % 6 == 0:
            second["information_present"] = None
        if number == 30:
            second["wrong_physical_dimensions"] = True
        if number % 10 < 3:
            first["missing_spec"] = ["charging time"]
            second["missing_spec"] = ["Torque"] if number % 10 else []
        pair = (people[number % 3], people[(number + 1) % 3])
        made.append(together(pair, first, second, subcategory=place, title=f"Drill {number + 1}"))
    return made
