"""Prompts: shipped texts, versions that are refused by name, and the moves of the live pointer."""

from typing import Any

import pytest

from generation.errors import BadInput, Conflict
from generation.flows import FLOWS, flow
from generation.models import Prompt, PromptMove
from generation.placeholders import check, missing
from generation.prompts import Overtaken, live, make_live, save_version, seed, shipped
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
STAGES = [(name, stage) for name in FLOWS for stage in flow(name).stages]


@pytest.mark.parametrize(("name", "stage"), STAGES)
def test_shipped_texts_are_good(name: str, stage: str) -> None:
    text = shipped(name, stage)
    assert text.system and text.user
    assert not check(name, stage, text.system, "/system") + check(name, stage, text.user, "/user")
    assert not missing(name, stage, text.user)
    assert f"<<{stage.upper()}_REVIEW>>" in text.user


def test_live_makes_the_first_version_once() -> None:
    first = live("item", "extraction")
    assert (first.number, first.user) == (1, shipped("item", "extraction").user)
    assert live("item", "extraction") == first
    assert PromptMove.objects.filter(prompt=first.prompt).count() == 1


def test_seed_twice_is_once() -> None:
    seed()
    seed()
    assert sorted(Prompt.objects.values_list("flow", "stage")) == sorted(STAGES)


def test_versions_are_numbered_and_not_live_by_themselves() -> None:
    first = live("item", "extraction")
    second = save_version(first.prompt, system="", user="Extract: <<SOURCE>>", note="shorter")
    assert second.number == 2 and live("item", "extraction") == first


def test_a_bad_version_is_refused_by_name_and_not_stored() -> None:
    prompt = live("item", "extraction").prompt
    with pytest.raises(BadInput) as refused:
        save_version(prompt, system="<<SORCE>>", user="nothing")
    assert [problem.pointer for problem in refused.value.problems] == ["/system", "/user"]
    assert "did you mean <<SOURCE>>?" in str(refused.value) and "<<SOURCE>> is missing" in str(refused.value)
    assert prompt.versions.count() == 1


def test_moves_forth_and_back_are_kept() -> None:
    by = UserFactory()
    first = live("item", "extraction")
    second = save_version(first.prompt, system="", user="<<SOURCE>>", author=by)
    make_live(second, by=by, why="try it")
    assert live("item", "extraction") == second
    back = make_live(first, by=by, why="it was worse")
    assert live("item", "extraction") == first
    assert (back.from_version, back.to_version, back.by, back.why) == (second, first, by, "it was worse")
    with pytest.raises(Conflict):
        make_live(first, by=by, why="again")


def test_who_did_not_see_the_newest_version_is_told_and_nothing_is_stored() -> None:
    prompt = live("item", "extraction").prompt
    theirs = save_version(prompt, system="", user="<<SOURCE>> theirs", newest_seen=1)
    with pytest.raises(Overtaken) as told:
        save_version(prompt, system="", user="<<SOURCE>> mine", newest_seen=1)
    assert told.value.version == theirs
    assert prompt.versions.count() == 2
    mine = save_version(prompt, system="", user="<<SOURCE>> mine", newest_seen=2)
    assert mine.number == 3


def test_who_saw_another_live_version_moves_nothing() -> None:
    by = UserFactory()
    first = live("item", "extraction")
    second = save_version(first.prompt, system="", user="<<SOURCE>>")
    make_live(second, by=by, why="x", live_seen=1)
    third = save_version(first.prompt, system="", user="3 <<SOURCE>>")
    with pytest.raises(Overtaken, match="version 2"):
        make_live(third, by=by, why="x", live_seen=1)
    assert live("item", "extraction") == second


class TestApproval:
    @pytest.fixture(autouse=True)
    def _proposed(self, settings: Any) -> None:
        settings.FOLDBACK_PROMPT_APPROVAL = True
        self.author, self.other = UserFactory(), UserFactory()
        self.first = live("item", "extraction")
        self.proposed = save_version(self.first.prompt, system="", user="<<SOURCE>>", author=self.author)

    def test_the_proposer_cannot_nor_can_nobody(self) -> None:
        for by in (self.author, None):
            with pytest.raises(Conflict, match="somebody else than its author"):
                make_live(self.proposed, by=by, why="x")
        assert live("item", "extraction") == self.first

    def test_a_second_person_can(self) -> None:
        make_live(self.proposed, by=self.other, why="x")
        assert live("item", "extraction") == self.proposed

    def test_what_was_live_before_is_gone_back_to_by_anybody(self) -> None:
        make_live(self.proposed, by=self.other, why="x")
        make_live(self.first, by=self.author, why="it was worse")
        make_live(self.proposed, by=self.author, why="it was not")
        assert live("item", "extraction") == self.proposed

    def test_a_version_without_an_author_waits_for_nobody(self) -> None:
        of_a_file = save_version(self.first.prompt, system="", user="f <<SOURCE>>")
        make_live(of_a_file, by=self.author, why="x")
        assert live("item", "extraction") == of_a_file

    def test_off_it_asks_for_nobody(self, settings: Any) -> None:
        settings.FOLDBACK_PROMPT_APPROVAL = False
        make_live(self.proposed, by=self.author, why="x")
        assert live("item", "extraction") == self.proposed
