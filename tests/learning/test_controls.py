"""What admins set: texts over the shipped ones, merged names, off switches."""

from typing import Any

import pytest

from learning import guidance
from learning.controls import controls
from learning.influence import INFLUENCE
from learning.models import FieldSynonym, Guidance, Switch
from learning.names import key_of, merged
from learning.rules import rules
from learning.switches import is_off, switch_off, switch_on
from tests.factories import SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_seeding_adds_what_is_missing_and_keeps_what_was_written() -> None:
    Guidance.objects.create(flow="item", key="bad_format.extraction", text="Ours.", enabled=False)
    assert guidance.seed() == sum(len(table) for table in INFLUENCE.values()) - 1
    assert guidance.seed() == 0
    texts = guidance.texts("item")
    assert texts["bad_format.extraction"] == ("Ours.", False)
    assert texts["bad_format.formatter"] == (guidance.shipped_text("item", "bad_format.formatter"), True)
    assert set(texts) == {line.key for line in INFLUENCE["item"]}
    assert guidance.shipped_text("item", "gone.stage") == ""


def test_without_rows_the_shipped_texts_speak() -> None:
    assert guidance.texts("item") == guidance.shipped("item")
    assert guidance.texts("unheard of") == {}


def test_switches_as_a_whole_and_for_one_subcategory() -> None:
    one, other = SubcategoryFactory(), SubcategoryFactory()
    switch_off(one.pk, by=UserFactory(), why="first")
    switch_off(one.pk, why="second")
    assert [is_off(one.pk), is_off(other.pk), is_off(None)] == [True, False, False]
    assert Switch.objects.get().why == "first"
    switch_off()
    switch_off()
    switch_on(one.pk)
    assert [is_off(one.pk), is_off(other.pk), is_off(None)] == [True, True, True]
    switch_on()
    assert [is_off(one.pk), is_off(other.pk), is_off(None)] == [False, False, False]


def test_two_rows_of_one_name_are_read_alike_everywhere() -> None:
    for name, canonical in (("Hub-Raum", "Zoo"), ("HUBRAUM", "Ant"), ("hubraum", "Fox")):
        FieldSynonym.objects.create(flow="item", name=name, canonical=canonical)
    assert controls("item", None).rules.synonyms["hubraum"] == rules("item", []).synonyms["hubraum"] == "Fox"


def test_all_of_it_in_one_query(django_assert_num_queries: Any) -> None:
    one, other = SubcategoryFactory(), SubcategoryFactory()
    guidance.seed()
    Guidance.objects.filter(key="notes.extraction").update(text="Ours.", enabled=False)
    FieldSynonym.objects.create(flow="item", name="Chuck", canonical="Chuck size")
    FieldSynonym.objects.create(flow="editorial", name="Torque", canonical="Force")
    switch_off(one.pk)
    with django_assert_num_queries(1):
        found = controls("item", one.pk)
    assert found.off
    assert found.texts == guidance.texts("item")
    assert found.rules.synonyms["chuck"] == "Chuck size"
    assert "torque" not in found.rules.synonyms
    assert not controls("item", other.pk).off
    assert not controls("item", None).off


@pytest.mark.parametrize(
    ("rows", "name", "key"),
    [
        ({}, "Gewicht", "weight"),
        ({}, "WEIGHT", "weight"),
        ({}, "Torque", "torque"),
        ({"torque": "Max. torque"}, "TORQUE ", "maxtorque"),
        ({"a": "b", "b": "c"}, "A", "c"),
        ({"a": "b", "b": "a"}, "A", "a"),
        ({"a": "b", "b": "a"}, "b", "a"),
        ({"x": "b", "a": "b", "b": "a"}, "x", "a"),
        ({"Gewicht": "Leergewicht"}, "gewicht", "leergewicht"),
        ({"a": "a"}, "a", "a"),
    ],
)
def test_merged_names_meet_also_in_chains_and_circles(rows: dict[str, str], name: str, key: str) -> None:
    assert key_of(name, merged("item", rows)) == key
