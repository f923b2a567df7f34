"""What is read, what is kept as a proposal, and when it stays away."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from generation import prompts
from generation.models import Call, Injection
from generation.prompts import make_live
from learning.models import Proposal
from learning.names import shipped
from learning.studio.proposals import deciding, finding
from learning.studio.proposals.recent import RUNS, asked_for, lately
from learning.studio.proposals.rules import Subject
from learning.tasks import find_proposals
from review import tallies
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.histories import said, taken_back
from tests.learning.proposals import lives

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _demo(settings: Any) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    prompts.seed()


def only() -> Proposal:
    [found] = Proposal.objects.all()
    return found


def test_a_correction_that_came_back_is_proposed_with_its_reviews() -> None:
    drills = SubcategoryFactory(name="Cordless drills")
    runs = lives.came_back(drills)
    [made] = finding.find()
    assert made == only()
    assert (made.flow, made.stage, made.signal, made.field) == (
        "item",
        "extraction",
        "wrong_physical_dimensions",
        "",
    )
    assert (made.cause, made.state, made.wording) == ("came_back", "open", "template")
    assert made.subcategory == drills
    assert made.events == lives.events_of(*runs[:3])
    [figure] = made.figures
    assert (figure["subcategory"], figure["count"], figure["of"], figure["threshold"]) == (drills.pk, 3, 10, 3)
    assert figure["cells"] == [[str(run.pk), number < 3] for number, run in enumerate(runs)]
    assert made.text.startswith("In Cordless drills: ") and "plausible" in made.text


def test_a_field_that_is_missing_again_is_proposed_by_name() -> None:
    lives.still_missing(SubcategoryFactory())
    [made] = finding.find()
    assert (made.cause, made.signal, made.field) == ("still_missing", "missing_spec", "charging time")
    assert '"charging time"' in made.text


def test_a_trigger_that_stayed_on_is_proposed() -> None:
    runs = lives.stayed_on(SubcategoryFactory())
    [made] = finding.find()
    assert made.cause == "stayed_on" and made.events == lives.events_of(*runs[::2])


def test_nothing_is_proposed_of_too_little() -> None:
    lives.came_back(SubcategoryFactory(), raised=2)
    lives.stayed_on(SubcategoryFactory(), runs=19)
    lives.still_missing(SubcategoryFactory(), raised=2)
    assert finding.find() == []


def test_several_subcategories_make_one_proposal_of_none() -> None:
    for _ in range(2):
        lives.came_back(SubcategoryFactory())
    [made] = finding.find()
    assert made.subcategory is None and len(made.figures) == 2 and len(made.events) == 6
    assert not made.text.startswith("In ")


def test_it_is_made_once() -> None:
    lives.came_back(SubcategoryFactory())
    assert len(finding.find()) == 1
    assert finding.find() == []


def test_of_two_that_look_at_once_one_makes_it() -> None:
    drills = SubcategoryFactory()
    lives.came_back(drills)
    [found] = finding.look("item", [drills.pk])
    assert finding.keep(found) is not None
    assert finding.keep(found) is None
    assert Proposal.objects.count() == 1


def test_reviews_that_were_taken_back_are_no_evidence() -> None:
    runs = lives.came_back(SubcategoryFactory())
    taken_back(runs[0].review_events.get(), "undone")
    assert finding.find() == []


def test_reviews_of_machines_are_none() -> None:
    drills = SubcategoryFactory()
    for run in lives.came_back(drills, raised=0):
        said(run, **lives.SIZES, source="machine")
    assert finding.find() == []


def test_a_failed_call_told_nothing() -> None:
    lives.came_back(SubcategoryFactory())
    Call.objects.update(error={"code": "timeout"})
    assert finding.find() == []


def test_guidance_of_a_later_round_is_judged_by_that_round() -> None:
    drills = SubcategoryFactory()
    for _ in range(3):
        run = lives.run_of(drills, lives.SIZES)
        lives.told(run, "wrong_physical_dimensions.extraction", round=2)
        said(run, round=2)
    assert finding.find() == []
    for _ in range(3):
        run = lives.run_of(drills, lives.SIZES)
        lives.told(run, "wrong_physical_dimensions.extraction", round=2)
        said(run, round=2, **lives.SIZES)
    assert len(finding.find()) == 1


def test_a_forgotten_text_asks_for_nothing() -> None:
    lives.still_missing(SubcategoryFactory())
    Injection.objects.update(text="")
    assert finding.find() == []


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (lives.ASKING, ["chargingtime"]),
        (lives.ASKING.replace("- charging time", "- Charging  Time\n- Größe"), ["chargingtime", "dimensions"]),
        ("- charging time", []),  # an admin's own list
        ("", []),
    ],
)
def test_fields_are_read_from_the_quotation(text: str, fields: list[str]) -> None:
    assert asked_for(text, shipped("item")) == fields


def declined(proposal: Proposal) -> Proposal:
    deciding.decline(proposal, by=UserFactory(), why="the source rarely says it")
    return proposal


def test_a_declined_one_comes_back_only_with_new_evidence() -> None:
    drills = SubcategoryFactory()
    lives.came_back(drills, raised=5)
    [first] = finding.find()
    declined(first)
    assert finding.find() == []
    lives.came_back(drills, raised=2, of=2)
    assert finding.find() == []
    lives.came_back(drills, raised=1, of=1)
    [second] = finding.find()
    assert second.pk != first.pk and len(set(second.events) & set(first.events)) == 0


def accepted(proposal: Proposal) -> Any:
    live = prompts.live(proposal.flow, proposal.stage)
    return deciding.accept(
        proposal, by=UserFactory(), text=proposal.text, place="guidance", note="n", live_seen=live.number
    )


def test_an_accepted_one_is_silent_until_its_prompt_has_moved_and_then_needs_new_evidence() -> None:
    drills = SubcategoryFactory()
    lives.came_back(drills)
    [first] = finding.find()
    version = accepted(first)
    lives.came_back(drills, raised=3, of=3)
    assert finding.find() == [], "the prompt is the old one still"
    make_live(version, by=UserFactory(), why="accepted")
    assert finding.find() == [], "no review of the new prompt yet"
    lives.came_back(drills, raised=3, of=3)
    assert len(finding.find()) == 1


def test_a_flow_that_is_installed_no_more_is_left_alone() -> None:
    drills = SubcategoryFactory()
    for _ in range(20):
        lives.run_of(drills, lives.SIZES, flow="gone")
    assert finding.find() == []


def queries(ids: list[int]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        list(lately("item", ids, finding.homes_of("item")))
    return len(seen)


def test_reads_do_not_grow_with_history_or_subcategories() -> None:
    drills, scales = SubcategoryFactory(), SubcategoryFactory()
    lives.came_back(drills)
    few = queries([drills.pk])
    lives.stayed_on(drills, runs=RUNS + 10)
    lives.came_back(scales)
    assert queries([drills.pk, scales.pk]) == few
    [one] = lately("item", [drills.pk], finding.homes_of("item"))
    assert len(one.runs) == RUNS


def test_the_task_and_the_command_look_everywhere() -> None:
    lives.came_back(SubcategoryFactory())
    tallies.fold()
    assert find_proposals() == 1
    said_out, told = StringIO(), StringIO()
    lives.still_missing(SubcategoryFactory())
    call_command("find_proposals", stdout=said_out, stderr=told)
    assert "charging time" in said_out.getvalue() and "1 new proposals, 2 open" in told.getvalue()


def test_subject_of_a_proposal_is_what_it_is_found_by() -> None:
    lives.still_missing(SubcategoryFactory())
    finding.find()
    made = only()
    assert Subject(made.stage, made.signal, made.field_key) == Subject(
        "extraction", "missing_spec", "chargingtime"
    )
