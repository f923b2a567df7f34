"""Random lives of an installation: runs made, reviewed, taken back, moved; thresholds, names, switches changed."""

from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from django.contrib.auth.models import User
from django.db.models import F

from generation import clock
from generation.errors import Conflict
from generation.guidance import GuidanceRequest, ask
from generation.models import Category, Run, Status, Subcategory
from learning import switches, thresholds
from learning.models import FieldSynonym
from learning.policies import choosing
from learning.thresholds import SHIPPED, Place
from review import recording
from review.models import Claim, ReviewEvent
from review.recording import Fields
from tests.factories import CategoryFactory, DraftFactory, RunFactory, SubcategoryFactory, UserFactory

NAMES = ("Gewicht", "weight", "charging time", "Ladezeit", "Torque", "torque ", "Max. torque")
ACTS = (
    ("generate",) * 8 + ("review",) * 12 + ("undo", "leave out", "thresholds", "merge", "part", "switch", "policy")
)


@dataclass
class Life:
    """What happened, and when each run was generated: the database's time just after."""

    random: Random
    places: list[Subcategory] = field(default_factory=list)
    people: list[User] = field(default_factory=list)
    generated: dict[str, tuple[int | None, datetime]] = field(default_factory=dict)

    @classmethod
    def begun(cls, seed: int) -> "Life":
        category = CategoryFactory()
        places: list[Subcategory] = [
            SubcategoryFactory(category=category),
            SubcategoryFactory(category=category),
            SubcategoryFactory(),
        ]
        return cls(Random(seed), places, [UserFactory(), UserFactory()])

    def live(self, acts: int) -> None:
        for _ in range(acts):
            getattr(self, f"_{self.random.choice(ACTS).replace(' ', '_')}")()

    def _generate(self) -> None:
        """A new run, or the next round of one that was sent back; its prompt is asked for as a call does."""
        run = Run.objects.filter(status=Status.QUEUED).first()
        if run is None or self.random.random() < 0.5:
            arm = self.random.choice(["guided", "guided", "guided", "control"])
            run = RunFactory(
                subcategory=self.random.choice(self.places), status=Status.QUEUED, revision=0, arm=arm
            )
        request = GuidanceRequest(
            "item", "extraction", run.subcategory_id, run_id=run.pk, round=run.round, arm=run.arm
        )
        said = ask(request)
        state = said.trigger_state
        if run.round == 1 and run.revision == 0:
            Run.objects.filter(pk=run.pk).update(guided_by=list(said.guided_by))
        DraftFactory(run=run, revision=run.revision + 1)
        Run.objects.filter(pk=run.pk).update(
            trigger_state=state, status=Status.AWAITING_REVIEW, revision=F("revision") + 1
        )
        if state is not None:
            self.generated[str(run.pk)] = request.subcategory_id, clock.now()

    def _review(self) -> None:
        waiting = list(Run.objects.up_for_review().order_by("id"))
        if not waiting:
            return
        run = self.random.choice(waiting)
        Claim.objects.all().delete()  # whoever took a review back holds the run
        chance = self.random
        fields = Fields(
            chance.choice(["approve", "approve", "revise", "reject"]),
            information_present=chance.choice([True, False, None]),
            missing_spec=chance.sample(NAMES, chance.choice([0, 0, 1, 2])),
            bad_format=chance.choice([True, False, None]),
            wrong_information=chance.choice([True, False, None]),
            wrong_physical_dimensions=chance.choice([True, False, None]),
            subcategory=chance.choice(self.places) if chance.random() < 0.2 else None,
        )
        recording.submit(run.pk, fields, reviewer=chance.choice(self.people))

    def _undo(self) -> None:
        event = ReviewEvent.objects.standing().order_by("-id").first()
        if event is not None and event.reviewer is not None:
            try:
                recording.undo(event.run_id, event.reviewer)
            except Conflict:
                return

    def _leave_out(self) -> None:
        counting = list(ReviewEvent.objects.counting().select_related("reviewer").order_by("id"))
        event = self.random.choice(counting) if counting else None
        if event is not None and event.reviewer is not None:
            recording.leave_out(event.pk, event.reviewer)

    def _thresholds(self) -> None:
        places: list[Category | Subcategory] = [*self.places, self.places[0].category]
        at = self.random.choice(places)
        place = Place("item", at)
        newest = place.newest()
        of_ten = {name: self.random.randint(1, 10) for name in self.random.sample(list(SHIPPED), 2)}
        thresholds.save(place, of_ten, by=self.people[0], why="try", based_on=newest.pk if newest else None)

    def _merge(self) -> None:
        FieldSynonym.objects.update_or_create(
            flow="item", name=self.random.choice(NAMES), defaults={"canonical": self.random.choice(NAMES)}
        )

    def _part(self) -> None:
        FieldSynonym.objects.filter(name=self.random.choice(NAMES)).delete()

    def _policy(self) -> None:
        choosing.choose(self.random.choice(["window", "steady"]), by=self.people[0], why="try")

    def _switch(self) -> None:
        place = self.random.choice(self.places).pk
        if self.random.random() < 0.3:
            switches.switch_off(place, why="try")
        else:
            switches.switch_on(place)
