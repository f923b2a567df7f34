"""A question on the review page: as in an examination, its key folded until asked for or found wrong."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from generation.flows.question.flow import FLOW, RUBRIC
from generation.flows.question.structure import problems
from generation.judges.rubric import read as read_scores
from generation.judges.rubric import weigh
from generation.models import Draft, Judgement, Run, Status
from review.pages.reading import Reading, reading
from review.pages.record import sheet
from tests import scenes
from tests.factories import DraftFactory, RunFactory
from tests.generation.question.records import POOR, QUESTION, SOURCE, options, scores


def read(content: dict[str, Any], **given: Any) -> Reading:
    findings = [problem.finding for problem in problems(content)]
    laid_out = sheet(content, SOURCE, schema=FLOW.record, sourced=FLOW.sourced, findings=findings, **given)
    return reading(Run(flow="question"), Draft(content=content), laid_out)


def parts(html: str) -> tuple[str, str]:
    """What is seen at once, and what is folded."""
    before, _, folded = html.partition("<details")
    return before, folded


def test_the_question_is_seen_and_its_answer_folded() -> None:
    seen, folded = parts(read(QUESTION).html)
    assert QUESTION["vignette"] in seen and QUESTION["stem"] in seen
    for option in QUESTION["options"]:
        assert option["text"] in seen and option["explanation"] not in seen
        assert option["explanation"] in folded
    assert QUESTION["explanation"] not in seen and QUESTION["explanation"] in folded
    assert not folded.startswith(' class="exam-key" open') and "<summary" in folded  # no script is needed
    assert read(QUESTION).html.count("is-correct") == 2
    assert not read(QUESTION).said


@pytest.mark.parametrize(
    ("broken", "place", "is_open"),
    [
        ({"vignette": "Short."}, "f-vignette", False),
        ({"stem": "Diagnosis"}, "f-stem", False),
        ({"options": options("a", "b", "c", "A"), "key": "A"}, "f-options-3-text", False),
        ({"options": options("a", "b", "c"), "key": "A"}, "f-options", False),
        ({"key": "C"}, "f-key", True),
        ({"explanation": ""}, "f-explanation", True),
    ],
)
def test_what_was_found_stands_at_its_part_and_is_never_folded_away(
    broken: dict[str, Any], place: str, is_open: bool
) -> None:
    html = read(QUESTION | broken).html
    [found] = set(re.findall(r'has-findings"? id="([\w-]+)"', html))
    assert found == place
    assert ('class="exam-key" open' in html) == is_open


def test_a_dimension_stands_at_the_component_that_it_would_have_made_anew() -> None:
    judged = weigh(RUBRIC, [], read_scores(scores(POOR), RUBRIC.dimensions), Decimal("0.7"))
    html = read(QUESTION, judged=judged.findings, judge="Rubric", feedback=judged.feedback).html
    for finding in judged.findings:
        assert html.count(finding["detail"]) == 1


def test_markup_in_a_question_stays_text() -> None:
    html = read(QUESTION | {"stem": "<script>alert(1)</script>?"}).html
    assert "<script>" not in html and "&lt;script&gt;" in html


@pytest.mark.django_db
def test_a_decided_run_shows_scores_rules_and_what_was_made_anew(client: Client) -> None:
    run = RunFactory(flow="question", source=SOURCE, status=Status.APPROVED)
    broken = QUESTION | {"key": "D"}
    draft = DraftFactory(run=run, content=broken)
    judged = weigh(RUBRIC, problems(broken), read_scores(scores(POOR), RUBRIC.dimensions), Decimal("0.7"))
    Judgement.objects.create(
        run=run,
        draft=draft,
        round=1,
        cycle=1,
        kind="rubric",
        outcome=judged.outcome,
        result=judged.as_json(),
        correction_applied=True,
        correction_target=judged.correction_target,
    )
    client.force_login(scenes.reviewer())
    page = client.get(f"/runs/{run.pk}/").content.decode()
    for words in ("Clinical accuracy", "Weighted mean", "0.54", "0.7 is enough", "made anew: distractors"):
        assert words in page
    assert "Answer key:</strong>" in page
