"""The loop in fast motion: the same products, reviewed by fixed rules, with learning off and on.

It shows the mechanism on the demo provider, whose faults and cures are constants. It is no evidence
of what guidance does to a real model.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction

from generation.intake import parse
from generation.models import Run
from generation.runs import create
from learning import switches
from learning.demo.content import Product, products
from learning.demo.loading import body_of, review_to_the_end, reviewers, subcategories
from review.models import SIGNALS, Decision, ReviewEvent

PREFIX = "simulation-"  # subcategories of its own: the installation's windows stay out of it


@dataclass
class Outcome:
    """What one arm of the simulation gave. approved: one boolean per run, in their order."""

    learning: bool
    approved: list[bool] = field(default_factory=list)
    raised: dict[str, int] = field(default_factory=dict)  # first reviews that raised the signal

    def share(self, part: slice = slice(None)) -> float:
        """First-pass acceptance over a part of the runs, from 0 to 1."""
        runs = self.approved[part]
        return sum(runs) / len(runs) if runs else 0.0


@contextmanager
def rolled_back() -> Iterator[None]:
    """Everything inside happens in one transaction that is undone; no task is ever handed to a worker."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def simulate(runs: int, *, learning: bool, tick: Callable[[], None] = lambda: None) -> Outcome:
    """Generate and review `runs` runs one after the other; leaves nothing behind."""
    outcome = Outcome(learning)
    with rolled_back():
        subcategories(prefix=PREFIX)
        people = reviewers()
        switches.switch_on()
        if not learning:
            switches.switch_off(why="simulation")
        for number, product in enumerate(_lots(runs)):
            run = _run(product)
            first = review_to_the_end(run, product, people[number % 2])
            outcome.approved.append(first == Decision.APPROVE)
            _count(outcome, run)
            tick()
    return outcome


def _run(product: Product) -> Run:
    """A run on the demo provider, whatever this installation is set to."""
    run = create(parse(body_of(product)))
    Run.objects.filter(pk=run.pk).update(provider="demo", model="")
    return run


def _count(outcome: Outcome, run: Run) -> None:
    event = ReviewEvent.objects.filter(run=run).order_by("sequence").first()
    if event is None:  # the run never came up for review
        return
    raised = {name: getattr(event, name) is (name != "information_present") for name in SIGNALS}
    raised["missing_spec"] = bool(event.missing_spec)
    for name, is_raised in raised.items():
        outcome.raised[name] = outcome.raised.get(name, 0) + is_raised


def _lots(runs: int) -> Iterator[Product]:
    """The products over and over, each time as another lot, so that no text comes twice."""
    known = products()
    for number in range(runs):
        product = known[number % len(known)]
        lot = number // len(known) + 1
        yield Product(PREFIX + product.subcategory, f"{product.title}, lot {lot}", product.text)
