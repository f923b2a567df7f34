"""What people agree on: counted from what they said of the same record, whatever became of it since."""

from random import Random

import pytest
from django.contrib.auth.models import User

from generation.errors import Conflict
from generation.models import Run, Status
from learning import facts
from learning.agreement import counts
from learning.models import Agreement, AgreementFact, Pair, PairFact
from review import recording
from review.models import Claim, ReviewEvent
from tests.factories import DraftFactory, SubcategoryFactory, UserFactory
from tests.people import a_reviewer
from tests.review.panels import adjudicator, policy, say, three, waiting

pytestmark = pytest.mark.django_db


def item(what: str) -> dict[tuple[int, ...], int]:
    facts.fold()
    return counts.of("item").get(what, {})


def pairs() -> dict[tuple[str, str], tuple[list[int], list[int]]]:
    names = dict(User.objects.values_list("pk", "username"))
    return {(names[one.first_id], names[one.second_id]): (one.said, one.differed) for one in Pair.objects.all()}


def test_two_who_agree_and_two_who_differ() -> None:
    policy()
    mia, tom, ada = three()
    same, other = waiting(), waiting()
    for user in (mia, tom):
        say(same, user, bad_format=False, wrong_information=None)
    say(other, mia, "approve", bad_format=False, information_present=True)
    say(other, tom, "revise", bad_format=True, missing_spec=["weight"])
    assert item("decision") == {(2, 0, 0): 1}, "the other waits for who decides"
    say(other, ada, "revise")
    assert item("decision") == {(2, 0, 0): 1, (1, 1, 0): 1}
    assert item("accepted") == {(0, 2): 1, (1, 1): 1}
    assert item("bad_format") == {(2, 0): 1, (1, 1): 1}
    assert item("missing_spec") == {(2, 0): 1, (1, 1): 1}
    assert item("information_present") == {(0, 0): 1, (0, 1): 1}, "unset is missing, not no"
    assert item("wrong_physical_dimensions") == {(0, 0): 2}
    assert pairs() == {("mia", "tom"): ([2, 2, 0, 2, 2, 0, 0], [1, 1, 0, 1, 1, 0, 0])}
    assert counts.units_by_flow() == {"item": 2}


def test_three_reviewers_are_one_unit_and_three_pairs() -> None:
    policy(reviewers=3)
    people = [a_reviewer(name) for name in ("mia", "tom", "zoe")]
    run = waiting()
    for user, format_ in zip(people, (True, False, True), strict=True):
        say(run, user, bad_format=format_)
    assert item("bad_format") == {(1, 2): 1}
    assert {names: differed[4] for names, (_said, differed) in pairs().items()} == {
        ("mia", "tom"): 1, ("mia", "zoe"): 0, ("tom", "zoe"): 1,
    }  # fmt: skip


def test_a_correction_is_no_acceptance() -> None:
    policy()
    mia, tom, ada = three()
    run = waiting()
    say(run, mia)
    say(run, tom, values={"/name": "Saw"})
    say(run, ada)
    assert item("decision") == {(2, 0, 0): 1}
    assert item("accepted") == {(1, 1): 1}


def test_one_reviewer_is_nobody_to_agree_with() -> None:
    say(waiting(), a_reviewer("mia"))
    policy()
    run = waiting()
    say(run, a_reviewer("tom"))
    say(run, a_reviewer("zoe"))
    say(Run.objects.get(pk=run.pk), adjudicator(), "reject")  # decides again, knowing what they said
    assert item("decision") == {(2, 0, 0): 1}


def test_undone_and_left_out() -> None:
    policy()
    mia, tom, _ada = three()
    run = waiting()
    say(run, mia, bad_format=True)
    last = say(run, tom, bad_format=True)
    assert item("bad_format") == {(0, 2): 1}
    assert last.event is not None
    recording.leave_out(last.event.pk, tom)
    assert item("bad_format") == {(0, 1): 1}, "a decision and no signals"
    assert item("decision") == {(2, 0, 0): 1}
    recording.undo(run.pk, tom)
    assert item("decision") == {}
    assert not Pair.objects.exclude(said=[0] * 7).exists()


def test_rounds_are_apart_and_machines_are_nobody() -> None:
    policy()
    mia, tom, _ada = three()
    run = waiting()
    say(run, mia, "revise")
    say(run, tom, "revise")
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW, round=2, revision=2)
    DraftFactory(run=run, revision=2, round=2)
    say(run, mia)
    assert item("decision") == {(0, 2, 0): 1}
    say(run, tom)
    assert item("decision") == {(0, 2, 0): 1, (2, 0, 0): 1}
    assert pairs()["mia", "tom"][0][0] == 2


def test_a_run_of_another_flow_is_counted_there() -> None:
    policy()
    mia, tom, _ada = three()
    run = waiting()
    say(run, mia)
    say(run, tom)
    assert item("decision") == {(2, 0, 0): 1}
    Run.objects.filter(pk=run.pk).update(flow="question")
    assert item("decision") == {}
    assert counts.of("question")["decision"] == {(2, 0, 0): 1}


def everything() -> list[object]:
    pattern, pair = ("flow", "what", "pattern", "units"), ("flow", "first_id", "second_id", "said", "differed")
    none = [0] * len(counts.WHAT)
    return [
        sorted(map(repr, Agreement.objects.exclude(units=0).values_list(*pattern))),
        sorted(map(repr, Pair.objects.exclude(said=none, differed=none).values_list(*pair))),
        sorted(map(repr, AgreementFact.objects.values_list("run_id", *pattern, "differs"))),
        sorted(map(repr, PairFact.objects.values_list("run_id", *pair))),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_after_any_life_the_sums_are_what_counting_anew_says(seed: int) -> None:
    random = Random(seed)
    policy(reviewers=random.choice([2, 3]))
    people = [UserFactory() for _ in range(4)] + [adjudicator()]
    runs = [waiting(subcategory=SubcategoryFactory()) for _ in range(5)]
    for _ in range(60):
        _one_act(random, runs, people)
        if random.random() < 0.3:
            facts.fold()
    facts.fold()
    found = everything()
    facts.rebuild()
    facts.fold()
    assert everything() == found
    assert found[0], "somebody agreed or differed"


def _one_act(random: Random, runs: list[Run], people: list[User]) -> None:
    run, user, act = random.choice(runs), random.choice(people), random.random()
    Claim.objects.all().delete()
    try:
        if act < 0.75:
            flags = {name: random.choice([True, False, None]) for name in ("bad_format", "wrong_information")}
            decision = random.choice(["approve", "approve", "revise", "reject"])
            say(run, user, decision, missing_spec=random.choice([[], ["weight"]]), **flags)
        elif act < 0.85:
            recording.undo(run.pk, user)
        elif act < 0.9:
            own = ReviewEvent.objects.standing().filter(reviewer=user).order_by("pk")
            if found := list(own):
                recording.leave_out(random.choice(found).pk, user)
        else:
            now = Run.objects.get(pk=run.pk)
            if now.status in (Status.QUEUED, Status.REJECTED):  # as the next round would leave it
                DraftFactory(run=now, revision=now.revision + 1, round=now.round + 1)
                Run.objects.filter(pk=run.pk).update(
                    status=Status.AWAITING_REVIEW, round=now.round + 1, revision=now.revision + 1,
                    reviews_done=0, reviews_from=None, reviewers_disagree=False, reviews_needed=None,
                )  # fmt: skip
    except Conflict:
        return
