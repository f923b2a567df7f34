"""From the pipeline's own judgements and people's own submissions to what is counted."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from generation import pipeline, prompts
from generation.flows import flow
from generation.models import Run
from learning import facts
from learning.demo import editorial, question
from learning.demo.loading import reviewers
from learning.judging import counting
from learning.judging.page import read
from review import recording
from review.exports import judgements
from review.exports.chunks import Pace
from review.exports.wanted import Wanted
from review.recording import Fields
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.conftest import new_run, scripted
from tests.generation.scripted import Scripted
from tests.review import panels

__all__ = ["scripted"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    prompts.seed()
    return UserFactory()


def made() -> Run:
    run = new_run(subcategory=SubcategoryFactory().slug)
    pipeline.generate(run.pk)
    run.refresh_from_db()
    return run


def counted() -> dict[str, int]:
    facts.fold()
    found = counting.added(one["verdict"] for one in counting.sums("item", "supervisor").values())
    return {place: count for place, count in found.items() if count}


def test_only_who_did_not_know_the_judge(scripted: Scripted, person: User) -> None:
    recording.submit(made().pk, Fields("approve"), reviewer=person)
    policy = panels.policy(reviewers=1, blind_to_judge=True)
    blind, later = made(), made()
    assert counted() == {}
    recording.submit(blind.pk, Fields("approve"), reviewer=person)
    assert counted() == {"passed_good": 1}
    recording.submit(later.pk, Fields("revise", bad_format=True), reviewer=person)
    policy.delete()
    Run.objects.filter(pk=later.pk).update(reviews_needed=None)  # looked up anew as its round begins
    pipeline.generate(later.pk)
    recording.submit(later.pk, Fields("approve"), reviewer=person)
    assert counted() == {"passed_good": 1, "passed_bad": 1}, "the first round was blind, the second was not"


def test_taken_back_and_given_again(scripted: Scripted, person: User) -> None:
    panels.policy(reviewers=1, blind_to_judge=True)
    scripted.play(supervisor="FAIL: no")
    run = made()
    recording.submit(run.pk, Fields("approve"), reviewer=person)
    assert counted() == {"failed_good": 1}
    recording.undo(run.pk, person)
    assert counted() == {}
    recording.submit(run.pk, Fields("reject"), reviewer=person)
    assert counted() == {}, "in between the person saw what the judge had found"


def test_two_reviewers_who_disagree_and_who_decides(scripted: Scripted) -> None:
    prompts.seed()
    panels.policy(reviewers=2, blind_to_judge=True)
    mia, tom, ada = panels.three()
    run = made()
    panels.say(run, mia, "reject")
    assert counted() == {}, "not while it waits for another"
    panels.say(run, tom, "approve")
    assert counted() == {}
    panels.say(run, ada, "approve")
    assert counted() == {"passed_bad": 1}, "the first of those who did not know; who decided knew"


SAYS = (
    Fields("approve"),
    Fields("revise", bad_format=True, missing_spec=("price",)),
    Fields("reject", wrong_information=True, wrong_physical_dimensions=False),
    Fields("approve", values={}, information_present=True),
)


@pytest.mark.parametrize(("name", "load"), [("question", question.load), ("editorial", editorial.load)])
def test_every_criterion_is_found_in_what_judges_store(name: str, load: Callable[[list[User]], None]) -> None:
    """And verdicts agree as often as the export of judgements says. The demo's own reviews are not blind."""
    people = reviewers()
    load(people)
    panels.policy(flow=name, reviewers=1, blind_to_judge=True)
    facts.fold()
    assert read({"flow": name}).is_empty
    waiting = Run.objects.filter(flow=name, status="queued").order_by("pk")
    for number, run in enumerate(waiting):
        pipeline.generate(run.pk)
        recording.submit(run.pk, SAYS[number % len(SAYS)], reviewer=people[number % len(people)])
    facts.fold()
    page = read({"flow": name})
    assert [line.criterion for line in page.lines] == [
        ask.criterion for ask in counting.asks(flow(name).judge_kind)
    ]
    assert page.verdict is not None and page.verdict.compared >= 4
    for line in page.lines:
        assert line.agreement.reviews == page.verdict.reviews and not line.agreement.unavailable, line.criterion
    exported = [row for chunk in judgements.rows(Wanted("judgements", flow=name), Pace()) for row in chunk.rows]
    agrees = Counter(row["agrees"] for row in exported if row["blind"])
    assert page.verdict.agreed.count == agrees[True] and page.verdict.compared == agrees[True] + agrees[False]
