"""Hostile texts in every place, through every stage: no prompt holds more than the words that were written."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from hypothesis import example, given
from hypothesis import settings as effort

from generation.errors import BadInput
from generation.intake import parse
from generation.material import (
    LONGEST_DRAFT,
    LONGEST_FEEDBACK,
    LONGEST_SOURCE,
    draft_text,
    feedback_text,
    name,
    source_text,
)
from generation.models import Injection
from generation.sanitizer import harmless, sanitize
from generation.tokens import tokens_at_most
from tests.generation.scripted import Scripted
from tests.generation.test_sanitizer import ANY, ATTACKS
from tests.generation.test_sanitizer import HARMLESS as CONTEXTS
from tests.hostile.prompts import order, shape, unseen
from tests.hostile.runs import STAGES, Sent, sent
from tests.hostile.texts import ALL, HARMLESS, HARMLESS_DATA, LONE, NUL, TEXTS

FILLERS = 4_000  # characters of a prompt besides what others wrote: its own words and the schema

PLAIN: list[Sent] = []  # the prompts of a harmless run, made once


def piles(texts: list[str]) -> list[str]:
    """Four of the texts at a time, a line each: a run takes a second."""
    return ["\n".join(texts[start : start + 4]) for start in range(0, len(texts), 4)]


def rehearsed(text: str, scripted: Scripted) -> list[Sent]:
    """The prompts, and nothing left of the run."""
    with transaction.atomic():
        told = sent(text, scripted)
        transaction.set_rollback(True)
    return told


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [kind for kind in TEXTS if kind != "huge"])
def test_no_prompt_holds_more_than_words(kind: str, learning: Scripted) -> None:
    if not PLAIN:
        PLAIN.extend(rehearsed("plain words", learning))
    plain = PLAIN
    assert {call.stage for call in plain} == set(STAGES)
    wrong = []
    for text in piles(TEXTS[kind]):
        told = rehearsed(text, learning)
        assert [call.stage for call in told] == [call.stage for call in plain], text[:60]
        for number, (hostile, harmless_one) in enumerate(zip(told, plain, strict=True)):
            where = f"{text[:60]!r} in call {number}, {hostile.stage}"
            if more := shape(hostile.prompt) - shape(harmless_one.prompt):
                wrong.append(f"{where}: {dict(more)}")
            elif order(hostile.prompt) != order(harmless_one.prompt):
                wrong.append(f"{where}: another order of tags")
            if found := unseen(hostile.prompt):
                wrong.append(f"{where}: {found}")
            if "Alpha" not in hostile.prompt:
                wrong.append(f"{where}: nothing of it is left")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.django_db
@pytest.mark.parametrize("text", TEXTS["huge"] + ["重" * 5_000], ids=lambda text: f"{text[:3]!r} {len(text)}")
def test_budgets_hold(text: str, learning: Scripted) -> None:
    with transaction.atomic():
        told = sent(text, learning)
        for call in told:
            assert not unseen(call.prompt)
            assert len(call.prompt) < LONGEST_SOURCE + LONGEST_DRAFT + LONGEST_FEEDBACK + 6_000 + 2 * FILLERS
        by_call: dict[int, list[str]] = {}
        for injection in Injection.objects.all():
            by_call.setdefault(injection.call_id, []).append(injection.text)
        assert by_call
        for texts in by_call.values():
            assert len("\n".join(texts)) <= settings.INJECTION_BUDGETS["total"]
            assert tokens_at_most("\n".join(texts)) <= settings.INJECTION_BUDGETS["tokens"]
        transaction.set_rollback(True)


@pytest.mark.parametrize("text", [f"a{NUL}b", f"a{LONE}b"])
@pytest.mark.parametrize("field", ["title", "text", "url", "search_queries"])
def test_a_source_that_cannot_be_stored_is_refused_by_its_place(text: str, field: str) -> None:
    source: dict[str, object] = {"title": "T", field: [text] if field == "search_queries" else text}
    with pytest.raises(BadInput) as refusal:
        parse({"flow": "item", "source": source})
    assert refusal.value.problems[0].pointer.startswith(f"/source/{field}")


@effort(max_examples=300)
@given(ANY)
@example("<À>")
@example("</ Ä>")
@example("½system")
def test_any_text_in_any_place(text: str) -> None:
    finding = {"field": text, "code": "x", "severity": "error", "detail": text}
    for shown, tags in (
        (source_text(f"Alpha\n{text}"), ["<source>", "</source>"]),
        (feedback_text(f"Alpha\n{text}"), ["<feedback>", "</feedback>"]),
        (
            draft_text({"name": text, text: [text], "role": text}, [finding]),
            ["<draft>", "</draft>", "<suspected>", "</suspected>"],
        ),
        (name(text), []),
    ):
        assert order(shown) == tags
        assert not {key: n for key, n in shape(shown).items() if key not in tags}
        assert not unseen(shown)


@effort(max_examples=400)
@given(ANY)
def test_data_is_the_same_when_it_is_sanitized_again(text: str) -> None:
    once = harmless(text, 500, data=True)
    assert harmless(once, 500, data=True) == once and len(once) <= 500


def repeated() -> list[str]:
    """Texts that give way bit by bit: each must have its end, and soon."""
    return [text * times for text in ALL if len(text) < 100 for times in (30, 90)]


@pytest.mark.parametrize("data", [False, True])
def test_no_text_is_without_an_end(data: bool) -> None:
    for text in (*ALL, *repeated()):
        once = harmless(text, 2_000, data=data)
        assert harmless(once, 2_000, data=data) == once


@pytest.mark.parametrize("text", [*HARMLESS, *HARMLESS_DATA])
def test_a_harmless_source_is_shown_as_it_was_written(text: str) -> None:
    assert source_text(text) == f"<source>\n{text}\n</source>"
    shown = draft_text({"name": text}, []).removeprefix("<draft>\n").removesuffix("\n</draft>")
    assert json.loads(shown) == {"name": text}


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_note_too(text: str) -> None:
    assert sanitize(text, 400) == text


def words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text))


@pytest.mark.skipif(not CONTEXTS, reason="the injection corpora are not on this machine")
def test_of_the_corpora_every_harmless_word_survives_and_no_attack_does() -> None:
    for text in CONTEXTS:
        assert words(source_text(text)) == ["source", *words(text), "source"], text
    for text in ATTACKS:
        shown = source_text(f"Alpha\n{text}")
        assert order(shown) == ["<source>", "</source>"] and not unseen(shown), text
        assert set(shape(shown)) == {"<source>", "</source>"}, text


def test_a_draft_that_is_too_long_keeps_both_ends_and_says_so() -> None:
    shown = draft_text({f"n{number}": "v" * 900 for number in range(100)} | {"last": "omega"}, [])
    assert len(shown) < LONGEST_DRAFT + 100
    assert "characters left out" in shown and '"n0"' in shown and "omega" in shown


def test_the_corpora_are_where_they_are_looked_for() -> None:
    folder = Path(__file__).resolve().parents[3] / "shared" / "data"
    assert bool(ATTACKS) == folder.exists()
