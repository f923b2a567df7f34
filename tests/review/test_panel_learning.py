"""What learning reads of a run that several people review: nothing before it is decided, then all of it."""

import pytest

from generation.guidance import GuidanceRequest
from generation.models import Draft, Run, Status
from learning import own_review
from learning.acceptance import acceptance_series
from learning.insights import stats
from learning.window import window
from review.models import ReviewEvent
from review.recording import undo
from tests.review import panels
from tests.review.panels import policy, say
from tests.review.reviews import now

pytestmark = pytest.mark.django_db
MATERIAL = {"specifications": [{"name": "Torque", "value": 60, "unit": "Nm"}], "name": "Drill"}


@pytest.mark.parametrize("disagree", [False, True])
def test_the_next_round_is_told_what_all_of_them_said(disagree: bool) -> None:
    policy()
    mia, tom, ada = panels.three()
    run = panels.waiting(content=MATERIAL)
    told = {"values": {"/name": "Saw"}}
    first = say(run, mia, "revise", bad_format=True, missing_spec=["Weight"], notes="a", **told).event
    last = say(run, tom, "reject" if disagree else "revise", bad_format=False, notes="b", **told).event
    if disagree:
        last = say(run, ada, "revise", missing_spec=["Noise"], notes="c").event
    assert first and last
    own = own_review.of(GuidanceRequest("item", "extraction", run.subcategory_id, run.pk, 2, "guided"))
    assert own is not None
    if disagree:
        assert (own.names, own.notes, own.evidence) == (("Noise",), "c", (last.pk,))
    else:
        assert (own.names, own.signals["bad_format"], own.evidence) == (("Weight",), True, (first.pk, last.pk))
        assert own.notes == "a\n\nb\nName: Drill is wrong, right is Saw"


def seen(run: Run) -> tuple[int, int, int, int]:
    """Runs in the window; those ever reviewed, their first reviews, and how many of these were accepted."""
    assert run.subcategory is not None
    found = stats("item", run.subcategory)
    series = acceptance_series("item", run.subcategory)
    assert (len(series), sum(point.accepted for point in series)) == (found.accepted.of, found.accepted.count)
    return len(window("item", run.subcategory_id).runs), found.reviewed, found.accepted.of, found.accepted.count


@pytest.mark.parametrize(
    ("first", "second", "third", "accepted"),
    [
        ("approve", "approve", None, 1),
        ("reject", "reject", None, 0),
        ("approve", "reject", "approve", 0),
        ("reject", "approve", "approve", 0),
        ("revise", "revise", None, 0),
        ("approve", "revise", "revise", 0),
    ],
)
def test_a_run_counts_once_it_is_decided(first: str, second: str, third: str | None, accepted: int) -> None:
    policy()
    mia, tom, ada = panels.three()
    run = panels.waiting()
    say(run, mia, first, bad_format=True)
    assert seen(run) == (0, 0, 0, 0) and now(run).last_review_event_id is None
    say(run, tom, second, bad_format=True)
    if third:
        assert seen(run) == (0, 0, 0, 0)
        say(run, ada, third)
    assert seen(run) == (1, 1, 1, accepted)
    [in_window] = window("item", run.subcategory_id).runs
    assert in_window.raised("bad_format") and len(in_window.evidence["bad_format"]) == 2
    last = ReviewEvent.objects.order_by("id").last()
    assert last and now(run).last_review_event_id == last.pk
    undo(run.pk, ada if third else tom)
    assert seen(run) == (0, 0, 0, 0) and now(run).last_review_event_id is None


def test_an_open_round_leaves_the_rounds_before_in_the_window() -> None:
    mia, tom, _ada = panels.three()
    run = panels.waiting()
    say(run, mia, "revise", bad_format=True)
    policy()
    Draft.objects.create(run=run, revision=2, round=2, content={"name": "x"}, made_by="extraction")
    Run.objects.filter(pk=run.pk).update(status=Status.AWAITING_REVIEW, revision=2)
    place = now(run).last_review_event_id
    say(run, mia, wrong_information=True)
    [in_window] = window("item", run.subcategory_id).runs
    assert in_window.raised("bad_format") and not in_window.raised("wrong_information")
    assert now(run).last_review_event_id == place
    say(run, tom)
    [in_window] = window("item", run.subcategory_id).runs
    assert in_window.raised("wrong_information")
