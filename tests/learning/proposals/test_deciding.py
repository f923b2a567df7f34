"""Accepting and declining: each once, by one person, on the live version that was looked at."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from generation import prompts
from generation.errors import BadInput, Conflict
from generation.models import Prompt, PromptVersion
from generation.prompts import Overtaken
from learning.models import Proposal, ProposalDecision
from learning.studio.proposals import deciding
from learning.studio.proposals.placing import Place, placed, places
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
TEXT = "Check each size."


@pytest.fixture
def proposal() -> Proposal:
    prompts.seed()
    return Proposal.objects.create(
        flow="item", stage="extraction", cause="came_back", signal="bad_format", text=TEXT, wording="template"
    )


def accept(proposal: Proposal, **changes: Any) -> PromptVersion:
    given: dict[str, Any] = {
        "by": UserFactory(),
        "text": TEXT,
        "place": Place.GUIDANCE,
        "note": "n",
        "live_seen": 1,
    }
    return deciding.accept(proposal, **(given | changes))


@pytest.mark.parametrize(
    ("system", "user", "place", "wanted"),
    [
        ("S", "A\n<<EXTRACTION_REVIEW>>\nB", "guidance", ("S", f"A\n{TEXT}\n\n<<EXTRACTION_REVIEW>>\nB")),
        ("S", "<<EXTRACTION_REVIEW>>", "guidance", ("S", f"{TEXT}\n\n<<EXTRACTION_REVIEW>>")),
        ("S", "A\nGo: <<EXTRACTION_REVIEW>>", "guidance", ("S", f"A\n{TEXT}\n\nGo: <<EXTRACTION_REVIEW>>")),
        ("<<EXTRACTION_REVIEW>>", "A", "guidance", (f"{TEXT}\n\n<<EXTRACTION_REVIEW>>", "A")),
        ("S", "A", "guidance", (f"S\n\n{TEXT}", "A")),  # no place for it
        ("S\n", "A\n<<EXTRACTION_REVIEW>>", "system", (f"S\n\n{TEXT}", "A\n<<EXTRACTION_REVIEW>>")),
        ("", "A", "system", (TEXT, "A")),
    ],
)
def test_where_it_goes(system: str, user: str, place: str, wanted: tuple[str, str]) -> None:
    texts = placed(PromptVersion(system=system, user=user), "extraction", f" {TEXT}\n", place)
    assert (texts.system, texts.user) == wanted


@pytest.mark.parametrize(
    ("user", "found"),
    [("<<EXTRACTION_REVIEW>>", [Place.GUIDANCE, Place.SYSTEM]), ("<<JUDGE_REVIEW>>", [Place.SYSTEM])],
)
def test_places_that_a_prompt_has(user: str, found: list[Place]) -> None:
    assert places(PromptVersion(system="", user=user), "extraction") == found


def test_accepting_makes_a_version_that_is_not_live(proposal: Proposal) -> None:
    live = prompts.live("item", "extraction")
    by: User = UserFactory()
    version = accept(proposal, by=by, note="sizes slip")
    assert (version.number, version.author, version.note) == (2, by, "sizes slip")
    assert version.user == live.user.replace("<<EXTRACTION_REVIEW>>", f"{TEXT}\n\n<<EXTRACTION_REVIEW>>")
    assert (version.system, version.model, version.parameters) == (live.system, live.model, live.parameters)
    assert prompts.live("item", "extraction") == live
    proposal.refresh_from_db()
    decision = proposal.decisions.get()
    assert proposal.state == decision.state == "accepted"
    assert (decision.by, decision.version, decision.text) == (by, version, TEXT)


def test_model_and_parameters_stay_those_of_the_live_version(proposal: Proposal) -> None:
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    live = prompts.live("item", "extraction")
    other = prompts.save_version(
        prompt, system=live.system, user=live.user, model="m", parameters={"effort": "low"}
    )
    prompts.make_live(other, by=None, why="w")
    version = accept(proposal, live_seen=2)
    assert (version.number, version.model, version.parameters) == (3, "m", {"effort": "low"})


def test_declining_keeps_who_when_and_why(proposal: Proposal) -> None:
    by = UserFactory()
    deciding.decline(proposal, by=by, why="rare")
    decision = ProposalDecision.objects.get()
    assert (decision.state, decision.by, decision.why, decision.version) == ("declined", by, "rare", None)
    assert decision.at is not None and Proposal.objects.get().state == "declined"


def test_what_was_decided_is_decided(proposal: Proposal) -> None:
    deciding.decline(proposal, by=UserFactory(), why="rare")
    with pytest.raises(Conflict):
        accept(proposal)
    with pytest.raises(Conflict):
        deciding.decline(proposal, by=UserFactory(), why="again")
    assert PromptVersion.objects.filter(prompt__stage="extraction", prompt__flow="item").count() == 1
    assert ProposalDecision.objects.count() == 1


def test_a_live_version_that_moved_meanwhile_is_told_and_nothing_is_saved(proposal: Proposal) -> None:
    live = prompts.live("item", "extraction")
    other = prompts.save_version(live.prompt, system=live.system, user=f"{live.user} More.")
    prompts.make_live(other, by=None, why="w")
    with pytest.raises(Overtaken) as told:
        accept(proposal)
    assert told.value.version == other
    assert Proposal.objects.get().state == "open" and not ProposalDecision.objects.exists()


@pytest.mark.parametrize("text", ["Look at <<SORCE>> first.", "Look at <<SOURCE> first."])
def test_a_text_with_a_wrong_placeholder_is_refused(proposal: Proposal, text: str) -> None:
    with pytest.raises(BadInput, match="did you mean <<SOURCE>>"):
        accept(proposal, text=text)
    assert Proposal.objects.get().state == "open"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE learning_proposaldecision SET why = 'x'",
        "DELETE FROM learning_proposaldecision",
    ],
)
def test_decisions_are_never_changed(proposal: Proposal, statement: str) -> None:
    deciding.decline(proposal, by=UserFactory(), why="rare")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_one_is_open_per_subject(proposal: Proposal) -> None:
    fields = {"flow": "item", "stage": "extraction", "cause": "stayed_on", "wording": "template", "text": "x"}
    with pytest.raises(DatabaseError, match="proposal_one_open"), transaction.atomic():
        Proposal.objects.create(**fields, signal="bad_format")
    Proposal.objects.create(**fields, signal="missing_spec", field="a", field_key="a")
    Proposal.objects.create(**fields, signal="missing_spec", field="b", field_key="b")
    deciding.decline(proposal, by=UserFactory(), why="rare")
    Proposal.objects.create(**fields, signal="bad_format")
