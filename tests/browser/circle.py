"""The circle as tests go round it: a run is generated, reviewed in the browser, and the next prompt is read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from generation import pipeline, runs
from generation.intake import parse
from generation.models import Call, Run, Subcategory
from review import recording
from review.models import ReviewEvent
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory

SOURCE = {"title": "Nordhaus AB 18-60 Li", "text": "Akku-Bohrschrauber 18 V\nAbmessungen: Länge 194 mm"}
ROWS = {
    "information_present": "Information present",
    "bad_format": "Bad format",
    "wrong_information": "Wrong information",
    "wrong_physical_dimensions": "Wrong dimensions",
}
SUBMIT = {"approve": "Approve and next", "revise": "Send back and next", "reject": "Reject and next"}
QUOTED = re.compile(r'<quote-([0-9a-f]{12}) of="[^"\n]*">\n(.*?)\n</quote-\1>', re.S)


def made(subcategory: Subcategory | None, **source: Any) -> Run:
    """A run of this source, generated to its end; without a subcategory the categorizer finds one."""
    body = {"flow": "item", "source": SOURCE | source}
    run = runs.create(parse(body | ({"subcategory": subcategory.slug} if subcategory else {})))
    return generated(run.pk)


def generated(run_id: UUID) -> Run:
    """The run after its next round, as a worker would have made it."""
    pipeline.generate(run_id)
    return Run.objects.select_related("subcategory").get(pk=run_id)


def calls(run: Run) -> dict[str, Call]:
    """The first call of each stage in the run's current round, in the order in which they were made."""
    found = run.calls.filter(round=run.round).order_by("id").prefetch_related("injections")
    stages: dict[str, Call] = {}
    for call in found:
        stages.setdefault(call.stage, call)
    return stages


def causes(call: Call) -> dict[str, tuple[str, list[int]]]:
    """What learning put into the prompt: guidance key → its reason, and the reviews that caused it."""
    return {found.guidance_key: (found.reason, found.evidence) for found in call.injections.all()}


def unguided(call: Call) -> str:
    """The prompt without what its injections say: it stands there once, joined by line feeds."""
    said = "\n".join(injection.text for injection in call.injections.all())
    assert not said or call.user.count(said) == 1
    return call.user.replace(said, "") if said else call.user


def unquoted(text: str) -> str:
    """What stands outside of every quote."""
    return QUOTED.sub("", text)


def quotes(call: Call) -> list[str]:
    return [quote for _digest, quote in QUOTED.findall(call.user)]


def reviews(subcategory: Subcategory, reviewer: User, *said: Mapping[str, Any]) -> list[ReviewEvent]:
    """Reviews of as many other runs, one after the other. They reject, so that none becomes an example."""
    return [_other(subcategory, reviewer, Fields(**({"decision": "reject"} | dict(fields)))) for fields in said]


def _other(subcategory: Subcategory, reviewer: User, fields: Fields) -> ReviewEvent:
    run = RunFactory(subcategory=subcategory)
    DraftFactory(run=run)
    event = recording.submit(run.pk, fields, reviewer=reviewer).event
    assert event is not None
    return event


@dataclass(frozen=True)
class Reviewing:
    """A person at the review page, with the mouse."""

    page: Page
    address: str

    def __call__(
        self,
        run: Run,
        decision: str,
        *,
        missing: Sequence[str] = (),
        suggested: Sequence[str] = (),
        notes: str = "",
        subcategory: str = "",
        **signals: str,
    ) -> ReviewEvent:
        """Fill the rendered form, submit it, and answer the event that came of it.

        missing: each is taken by Enter but the last, which is left as it was typed.
        """
        page = self.open(run)
        for signal, said in signals.items():
            page.get_by_role("group", name=ROWS[signal]).get_by_text(said.capitalize(), exact=True).click()
        for name in missing:
            page.locator("#missing").press("Enter")
            page.locator("#missing").fill(name)
        for name in suggested:
            page.locator(f"[data-add='{name}']").click()
        page.locator("#notes").fill(notes)
        if subcategory:
            page.locator("#subcategory").select_option(subcategory)
        page.locator(f"label.{decision}").click()
        page.get_by_role("button", name=SUBMIT[decision]).click()
        expect(page.locator("#notice")).to_be_visible()
        return ReviewEvent.objects.filter(run=run).latest("id")

    def open(self, run: Run) -> Page:
        self.page.goto(f"{self.address}/runs/{run.pk}/")
        expect(self.page.locator("h1")).to_have_text(run.title)
        self.page.wait_for_load_state()
        return self.page
