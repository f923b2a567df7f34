"""Prompts: shipped texts, versions that are refused by name, and the moves of the live pointer."""

import pytest

from generation.errors import BadInput, Conflict
from generation.flows import FLOWS, flow
from generation.models import Prompt, PromptMove
from generation.placeholders import check, missing
from generation.prompts import live, make_live, save_version, seed, shipped
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
