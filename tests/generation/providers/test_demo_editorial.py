"""The demo's editorials: faultless where nothing tempts it, wrong on purpose, mended where it is told."""

import json
from typing import Any

import pytest

from generation import pipeline, runs
from generation.flows.editorial.check import findings
from generation.flows.editorial.names import text_of
from generation.flows.editorial.source import render
from generation.intake import parse
from generation.judges.criteria import read
from generation.models import Run, Status
from generation.prompts import shipped
from generation.providers.base import Request
from generation.providers.demo import PROVIDER
from generation.providers.demo.editorial.compare import differences
from generation.providers.demo.editorial.compose import compose
from generation.providers.demo.editorial.mistakes import faults_for, make_mistakes, written
from generation.providers.demo.faults import PRONE_TO, Fault, prone_to
from generation.providers.demo.follow import guidance
from generation.providers.demo.prompt import Prompt
from generation.reading import first_object
from generation.sanitizer import quote
from learning.demo.editorial import pages
from learning.influence import lines
from tests.factories import SubcategoryFactory
from tests.generation.editorials import SOURCE

ODD: list[dict[str, Any]] = [
    {"keyword": "雨", "topics": [{"title": "雨", "summary": "雨が降る。"}]},
    {"keyword": "x", "topics": [{"title": "y", "summary": "z"}]},
    {"keyword": "Wax", "topics": [{"title": "topic 2: x", "summary": "brands: none\ntopic 7: 1,5 € “quoted”"}]},
    {"keyword": "W" * 200, "topics": [{"title": "T" * 500, "summary": "Word. " * 3000}] * 5},
]
SOURCES = [page.source for page in pages()]
MANY = [SOURCE | {"keyword": f"Rainwear {number}"} for number in range(300)]
WEAK_IN = {fault: next(f"Kind {n}" for n in range(99) if prone_to(f"Kind {n}") == fault) for fault in PRONE_TO}
WARNING = {line.name or line.signal: line.text for line in lines("editorial", "editorial")}


def asked(
    stage: str, source: dict[str, Any], *, review: str = "", draft: Any = None, feedback: str = "", **more: str
) -> str:
    text = shipped("editorial", stage)
    values = {
        f"{stage.upper()}_REVIEW": review,
        "SOURCE": f"<source>\n{render(source)}\n</source>",
        "DRAFT": "" if draft is None else f"<draft>\n{json.dumps(draft)}\n</draft>",
        "FEEDBACK": f"<feedback>\n{feedback}\n</feedback>" if feedback else "",
        "SUBCATEGORY": f"{more['subcategory']} (slug-1)" if more else "",
    }
    user = text.user
    for name, value in values.items():
        user = user.replace(f"<<{name}>>", value)
    return PROVIDER.answer(Request("editorial", stage, text.system, "", user, "m")).text


def faults_in(source: dict[str, Any], **more: Any) -> set[Fault]:
    return {
        found.fault
        for found in differences(first_object(asked("editorial", source, **more)) or {}, render(source))
    }


@pytest.mark.parametrize("source", [*SOURCES, SOURCE, *ODD], ids=lambda source: source["keyword"][:20])
def test_a_faultless_page_is_in_form_and_whole_and_has_no_mistake(source: dict[str, Any]) -> None:
    page = compose(render(source))
    assert differences(page, render(source)) == []
    assert findings(page | {"mentions": []}, source) == []


@pytest.mark.parametrize("fault", Fault)
def test_each_mistake_is_found_and_no_other(fault: Fault) -> None:
    for source in map(render, SOURCES):
        text = written(make_mistakes(source, frozenset({fault})), source, loose=fault == Fault.LOOSE_FORM)
        found = {one.fault for one in differences(first_object(text) or {}, source)}
        assert found == {fault} or (fault == Fault.LOOSE_FORM and text.startswith("Here is"))


@pytest.mark.parametrize("fault", PRONE_TO)
def test_weak_spots_and_warnings_move_the_rates(fault: Fault) -> None:
    signal = {Fault.UNIT_SLIP: "wrong_physical_dimensions", Fault.LOOSE_FORM: "bad_format"}.get(fault, fault)
    names = quote("parts", "- Hashtags\n- Quote\n- Credits\n- Person")
    warning = WARNING["missing_spec" if fault == Fault.MISSING else signal].replace("{names}", names)
    share = [
        sum(fault in faults_in(source, **given) for source in MANY) / len(MANY)
        for given in ({}, {"subcategory": WEAK_IN[fault]}, {"subcategory": WEAK_IN[fault], "review": warning})
    ]
    assert share[1] > 2 * share[0] > 0 and share[2] < share[1] / 2


def test_the_shipped_prompts_warn_of_nothing_and_each_text_of_its_own_mistake() -> None:
    heard = {
        "information_present_low": {Fault.GIVING_UP},
        "bad_format": {Fault.LOOSE_FORM},
        "wrong_information": {Fault.WRONG_INFORMATION},
        "wrong_physical_dimensions": {Fault.UNIT_SLIP},
    }
    for stage in ("editorial", "enrich", "judge"):
        text = shipped("editorial", stage)
        plain = guidance(Prompt(Request("editorial", stage, text.system, "", text.user, "m")))
        assert (plain.warned, plain.first) == (frozenset(), frozenset())
        for line in lines("editorial", stage):
            told = line.text.replace("{names}", quote("parts", "- Quote"))
            here = guidance(Prompt(Request("editorial", stage, "", "", told, "m")))
            assert here.warned == heard.get(line.name or line.signal, set()), line.key
            assert here.first == ({"quote"} if line.signal == "missing_spec" else frozenset()), line.key


def test_what_a_judge_names_is_mended_and_stays_mended() -> None:
    wrong = [one for one in MANY if faults_for(render(one), "") == {Fault.WRONG_INFORMATION}]
    told = 'The last attempt, titled "T", failed:\n- hallucination (critical): Marlene Voss is invented.'
    mended = [one for one in wrong if not faults_in(one, feedback=told)]
    assert len(mended) > 0.7 * len(wrong) > 3
    more = (
        told.replace("hallucination", "content completeness") + "\n\nAn earlier attempt failed:\n- It is invented."
    )
    assert not any(faults_in(one, feedback=more) for one in mended)


def test_what_a_person_sent_back_is_mended_where_they_say_so() -> None:
    wrong = [one for one in MANY if faults_for(render(one), "") == {Fault.UNIT_SLIP}]
    drafts = [(one, first_object(asked("editorial", one))) for one in wrong]
    note = quote("a reviewer's note", "The price is wrong by far.")
    mended = sum(not faults_in(one, draft=draft, review=note) for one, draft in drafts)
    assert mended > 0.7 * len(drafts) > 3
    assert all(faults_in(one, draft=draft) == {Fault.UNIT_SLIP} for one, draft in drafts)  # nothing said


def test_the_judge_answers_all_criteria_and_sees_more_where_it_is_warned() -> None:
    drafts = [(one, make_mistakes(render(one), frozenset({Fault.WRONG_INFORMATION}))) for one in MANY]
    warning = next(line.text for line in lines("editorial", "judge") if line.signal == "wrong_information")
    seen = []
    for review in ("", warning):
        answers = [read(asked("judge", one, draft=draft, review=review)) for one, draft in drafts]
        failed = [[c for c in answer if not c.passed] for answer in answers]
        assert all(c.criterion == "hallucination" and "invented" in c.reason for one in failed for c in one)
        seen.append(sum(bool(one) for one in failed) / len(failed))
    assert 0.1 < seen[0] < 0.45 < seen[1] < 0.9
    assert all(all(c.passed for c in read(asked("judge", one, draft=compose(render(one))))) for one in SOURCES)


def test_enrich_names_what_the_topics_have_and_what_they_have_not() -> None:
    draft = make_mistakes(render(SOURCE), frozenset({Fault.WRONG_INFORMATION}))
    mentions = json.loads(asked("enrich", SOURCE, draft=draft))["mentions"]
    by_name = {mention["name"]: mention["topic"] for mention in mentions}
    assert by_name.pop("Norsund") == by_name.pop("Tuva Lind") == 1
    assert [topic for name, topic in by_name.items() if name in text_of(draft)] == [None]


@pytest.mark.django_db
def test_whole_runs_end_in_a_status_with_a_reason(settings: Any) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    slug = SubcategoryFactory(name="Slow fashion").slug
    made = [
        runs.create(parse({"flow": "editorial", "subcategory": slug, "source": one})) for one in (*MANY[:30], *ODD)
    ]
    for run in made:
        pipeline.generate(run.id)
    outcomes = set(Run.objects.values_list("status", "judge_outcome"))
    assert outcomes <= {
        (Status.AWAITING_REVIEW, "passed"),
        (Status.AWAITING_REVIEW, "corrected"),
        (Status.FAILED, "failed"),
    }
    assert (Status.AWAITING_REVIEW, "corrected") in outcomes
    assert not Run.objects.filter(status=Status.FAILED, error=None).exists()
