"""Random lives of an installation that makes every call: runs made one by one and in batches, broken off, retried,
reviewed, sent back, moved, taken back; thresholds, names and switches changed.

The same seed is the same life, whatever its prompts say: answers are those of the run, never of the prompt.
"""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any
from zlib import crc32

from django.contrib.auth.models import User
from django.db.models.functions import Now

from generation import pipeline, runs
from generation.batches import create_many
from generation.errors import Conflict
from generation.intake import parse
from generation.models import Run, Status, Subcategory
from generation.models.run import RETRYABLE
from generation.providers.base import ProviderError, Request
from learning import switches, thresholds
from learning.models import FieldSynonym
from learning.thresholds import SHIPPED, Place
from review import recording
from review.models import Claim, ReviewEvent
from review.recording import Fields
from tests.factories import CategoryFactory, UserFactory
from tests.generation.scripted import PROVIDER, record

NAMES = ("Gewicht", "weight", "charging time", "Ladezeit", "Torque", "torque ")
ACTS = (
    *("make",) * 8, *("review",) * 14, "batch", "batch", "break", "break", "retry", "retry", "undo", "leave out",
    "thresholds", "merge", "switch",
)  # fmt: skip


class Killed(BaseException):
    """The process is gone: nothing that catches errors sees it."""


@dataclass
class WholeLife:
    """learns: whether learning is on at all. control: the share of runs of that arm, drawn by the seed."""

    seed: int
    learns: bool
    control: float = 0.5
    runs: list[Run] = field(default_factory=list)
    held_out: set[int] = field(default_factory=set)  # places in `runs`, whether or not their arm says so
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    now: str = ""  # the title of the run in hand
    dies_at: str = ""  # the stage where the process is killed next

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        category = CategoryFactory(name=f"Category of {self.seed}")
        self.places = [
            Subcategory.objects.create(slug=f"place-{self.seed}-{n}", name=f"Place {n}", category=category)
            for n in range(2)
        ]
        self.people: list[User] = [UserFactory(), UserFactory()]
        PROVIDER.play(
            categorizer=self._categorizer, extraction=self._extraction, formatter=self._formatter,
            supervisor=self._supervisor,
        )  # fmt: skip
        PROVIDER.before = self._before
        if not self.learns:
            switches.switch_off()

    def live(self, acts: int) -> None:
        for _ in range(acts):
            getattr(self, f"_{self.random.choice(ACTS).replace(' ', '_')}")()
            self._work()

    # --- the far end -----------------------------------------------------------------------------

    def _before(self, request: Request) -> None:
        if request.stage == self.dies_at:
            self.dies_at = ""
            raise Killed
        self.asked[self.now, request.stage] += 1

    def _chance(self, stage: str, share: float) -> bool:
        """By the run and how often its stage was asked."""
        return crc32(f"{self.now} {stage} {self.asked[self.now, stage]}".encode()) / 2**32 < share

    def _categorizer(self, _request: Request) -> str:
        place = self.places[crc32(self.now.encode()) % len(self.places)]
        return json.dumps({"category": place.category.name, "subcategory": place.slug})

    def _extraction(self, _request: Request) -> str:
        if self._chance("extraction", 0.04):
            raise ProviderError("refused", "no")
        return "{}" if self._chance("extraction", 0.15) else record(name=self.now)

    def _formatter(self, _request: Request) -> str:
        return record(name=self.now)

    def _supervisor(self, _request: Request) -> str:
        return "FAIL: look again" if self._chance("supervisor", 0.3) else "PASS"

    # --- what happens ----------------------------------------------------------------------------

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"flow": "item", "source": {"title": f"Drill {self.random.randrange(10**6)}"}}
        if self.random.random() < 0.3:
            body["source"]["search_queries"] = ["drill torque"]
        return body if self.random.random() < 0.3 else body | {"subcategory": self.random.choice(self.places).slug}

    def _made(self, *made: Run) -> None:
        for run in made:
            if self.random.random() < self.control:
                self.held_out.add(len(self.runs))
                Run.objects.filter(pk=run.pk).update(arm="control" if self.learns else "guided")
            self.runs.append(run)

    def _make(self) -> None:
        self._made(runs.create(parse(self._body())))

    def _batch(self) -> None:
        _batch, ids, _bad = create_many([self._body() for _ in range(3)])
        self._made(*(Run.objects.get(pk=pk) for pk in ids))

    def _break(self) -> None:
        """The worker of the next call of a stage dies; another takes the run up."""
        self._make()
        self.dies_at = self.random.choice(["extraction", "supervisor"])

    def _retry(self) -> None:
        if run := self._some(status__in=RETRYABLE):
            runs.retry(run.pk)

    def _work(self) -> None:
        """All that is queued, the oldest first."""
        while run := self._first(status=Status.QUEUED):
            self.now = run.title
            try:
                pipeline.generate(run.pk)
            except Killed:
                Run.objects.filter(pk=run.pk).update(lease_expires_at=Now())  # time passes
                pipeline.generate(run.pk)
        self.dies_at = ""

    def _review(self) -> None:
        run = self._some(status__in=[Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW])
        if run is None:
            return
        Claim.objects.all().delete()  # whoever took a review back holds the run
        chance = self.random
        fields = Fields(
            chance.choice(["approve", "approve", "revise", "reject"]),
            information_present=chance.choice([True, False, None]),
            missing_spec=chance.sample(NAMES, chance.choice([0, 0, 1, 2])),
            bad_format=chance.choice([True, False, None]),
            wrong_information=chance.choice([True, False, None]),
            wrong_physical_dimensions=chance.choice([True, False, None]),
            notes=chance.choice(["", "", "units!", "look at the plate"]),
            subcategory=chance.choice(self.places) if chance.random() < 0.2 else None,
        )
        recording.submit(run.pk, fields, reviewer=chance.choice(self.people))

    def _undo(self) -> None:
        event = ReviewEvent.objects.standing().order_by("-id").first()
        if event is not None and event.reviewer is not None:
            with suppress(Conflict):
                recording.undo(event.run_id, event.reviewer)

    def _leave_out(self) -> None:
        counting = list(ReviewEvent.objects.counting().select_related("reviewer").order_by("id"))
        event = self.random.choice(counting) if counting else None
        if event is not None and event.reviewer is not None:
            recording.leave_out(event.pk, event.reviewer)

    def _thresholds(self) -> None:
        place = Place("item", self.random.choice(self.places))
        newest = place.newest()
        of_ten = {name: self.random.randint(1, 4) for name in self.random.sample(list(SHIPPED), 2)}
        thresholds.save(place, of_ten, by=self.people[0], why="try", based_on=newest.pk if newest else None)

    def _merge(self) -> None:
        FieldSynonym.objects.update_or_create(
            flow="item", name=self.random.choice(NAMES), defaults={"canonical": self.random.choice(NAMES)}
        )

    def _switch(self) -> None:
        place = self.random.choice(self.places).pk
        if self.random.random() < 0.3:
            switches.switch_off(place, why="try")
        else:
            switches.switch_on(place)

    def _some(self, **where: Any) -> Run | None:
        found = list(Run.objects.filter(pk__in=[run.pk for run in self.runs], **where).order_by("id"))
        return self.random.choice(found) if found else None

    def _first(self, **where: Any) -> Run | None:
        return Run.objects.filter(**where).order_by("id").first()
