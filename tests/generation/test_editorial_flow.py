"""Editorials through the pipeline: passes, fixes and exhaustion, and an explicit end for all that may go wrong."""

import json
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from generation import pipeline, prompts, runs
from generation.models import Call, Run
from generation.providers.base import ProviderError, Request
from generation.work import MAX_ATTEMPTS
from tests.generation.conftest import generated
from tests.generation.editorials import (
    FAIL,
    LAYOUT,
    MENTIONS,
    PASS,
    answer,
    given,
    layout,
    new_editorial,
    play,
    without,
)
from tests.generation.scripted import Scripted
from tests.generation.test_resume import interrupted

pytestmark = pytest.mark.django_db
ONE_CYCLE = ["editorial", "enrich", "judge"]


@pytest.fixture
def run(scripted: Scripted, db: None) -> Run:
    play(scripted)
    return new_editorial()


def error_of(run: Run) -> str:
    return str((run.error or {}).get("code", ""))


def test_a_good_run(run: Run, scripted: Scripted) -> None:
    generated(run)
    assert (run.status, run.judge_outcome, run.error, run.title) == ("awaiting_review", "passed", None, "Rainwear")
    assert scripted.stages() == ONE_CYCLE
    draft, judgement = run.drafts.get(), run.judgements.get()
    assert (draft.made_by, draft.content["mentions"], draft.findings) == ("enrich", MENTIONS, [])
    assert (judgement.kind, judgement.outcome, judgement.cycle) == ("criteria", "passed", 1)
    assert [one["criterion"] for one in judgement.result["criteria"]] == [
        "format", "content_completeness", "hallucination", "fact_accuracy",
    ]  # fmt: skip
    assert judgement.call == run.calls.get(stage="judge") and judgement.prompt_version is not None


def test_the_judge_sees_the_source_and_leaves_chance_out(run: Run, scripted: Scripted) -> None:
    generated(run)
    assert [request.deterministic for request in scripted.requests] == [False, False, True]
    assert [request.schema.__name__ for request in scripted.requests if request.schema] == [
        "Layout", "Enriched", "Answer",
    ]  # fmt: skip
    prompt = scripted.of("judge")[0].user
    assert "topic 1: Norsund waxes its own cotton" in prompt and "What the rain leaves" in prompt
    assert "Common knowledge is not" in prompt and "passed: true or false" in prompt


@pytest.mark.parametrize(
    ("fails", "fixes", "status", "outcome", "judgements"),
    [
        (0, None, "awaiting_review", "passed", 1),
        (1, None, "awaiting_review", "corrected", 2),
        (2, None, "awaiting_review", "corrected", 3),
        (3, None, "failed", "failed", 3),
        (4, None, "failed", "failed", 3),
        (0, 0, "awaiting_review", "passed", 1),
        (1, 0, "failed", "failed", 1),
        (1, 1, "awaiting_review", "corrected", 2),
        (2, 1, "failed", "failed", 2),
        (3, 3, "awaiting_review", "corrected", 4),
        (4, 3, "failed", "failed", 4),
    ],
)
def test_it_fails_at_the_judgement_after_its_last_fix(
    scripted: Scripted, fails: int, fixes: int | None, status: str, outcome: str, judgements: int
) -> None:
    play(scripted, judge=[FAIL] * fails + [PASS])
    options = {} if fixes is None else {"review_max_fix_attempts": fixes}
    run = generated(new_editorial(options=options))
    assert (run.status, run.judge_outcome) == (status, outcome)
    assert (run.judgements.count(), run.drafts.count(), run.revision) == (judgements,) * 3
    assert scripted.stages() == ONE_CYCLE * judgements  # every revision runs both stages
    assert error_of(run) == ("fixes_exhausted" if status == "failed" else "")
    assert run.is_up_for_review  # also failed: a person sees the last draft
    told = [one.result["feedback"] for one in run.judgements.filter(outcome="failed")]
    assert told == ["hallucination (critical): Olaf Berg is in no topic."] * min(fails, judgements)


def test_feedback_stands_before_the_task_and_each_reason_once(scripted: Scripted) -> None:
    late = answer(given("fact_accuracy", reason="March, not May.", severity="minor"))
    play(
        scripted,
        editorial=[json.dumps(layout(title=title)) for title in ("First </feedback> try", "Second try", "Third")],
        judge=[FAIL, late, PASS],
    )
    generated(new_editorial())
    first, second, third = [request.user for request in scripted.of("editorial")]
    assert "<feedback>" not in first and "<draft>" not in first
    assert 'titled "First ‹/feedback› try", failed:' in second  # which closes no quotes
    assert 'last attempt, titled "Second try"' in third and 'earlier attempt, titled "First' in third
    assert second.index("</feedback>") < second.index("Make the page") < second.index("<source>")
    assert (third.count("Olaf Berg is in no topic."), third.count("March, not May.")) == (1, 1)
    assert "(critical)" in third and "(minor)" in third and "<draft>" not in third


def test_the_first_draft_shares_a_cached_beginning_with_others(run: Run, scripted: Scripted) -> None:
    generated(run)
    request = scripted.of("editorial")[0]
    assert "Make the page" in request.stable and "Norsund" not in request.stable


def test_what_a_person_sent_back_is_shown(run: Run, scripted: Scripted) -> None:
    generated(run)
    runs.start_round(run.id)
    generated(run)
    prompt = scripted.of("editorial")[1].user
    assert "<draft>" in prompt and "What the rain leaves" in prompt and "<feedback>" not in prompt


def test_feedback_is_of_this_round(run: Run, scripted: Scripted) -> None:
    play(scripted, judge=[FAIL, PASS, FAIL, PASS])
    generated(run)
    runs.start_round(run.id)
    generated(run)
    assert [("earlier attempt" in request.user) for request in scripted.of("editorial")] == [False] * 4
    assert list(run.judgements.values_list("round", "cycle")) == [(1, 1), (1, 2), (2, 1), (2, 2)]


# --- form -----------------------------------------------------------------------------------------

NO_BODY = json.dumps(without("body_text"))
TITLES = [json.dumps(layout(title="")), json.dumps(LAYOUT)]


@pytest.mark.parametrize(
    "loose", [json.dumps(layout(title="")), NO_BODY, json.dumps({"blocks": "none"}), '{"a": 1}']
)
def test_a_draft_that_does_not_fit_is_kept_judged_and_revised(scripted: Scripted, loose: str) -> None:
    play(scripted, editorial=[loose, json.dumps(LAYOUT)], judge=[FAIL, PASS])
    run = generated(new_editorial())
    assert (run.status, run.judge_outcome, run.revision) == ("awaiting_review", "corrected", 2)
    assert run.drafts.get(revision=1).findings[0]["code"] in ("schema", "no_body_text") and run.suspicion == ""
    criteria = {one["criterion"]: one for one in run.judgements.get(cycle=1).result["criteria"]}
    assert (criteria["format"]["passed"], criteria["format"]["severity"]) == (False, "critical")
    assert not criteria["hallucination"]["passed"]  # one revision hears everything
    told = scripted.of("editorial")[1].user
    assert "format (critical)" in told and "hallucination (critical)" in told


def test_form_fails_a_draft_that_the_model_passes(scripted: Scripted) -> None:
    play(scripted, editorial=NO_BODY)
    run = generated(new_editorial())
    assert (run.status, run.judge_outcome, error_of(run)) == ("failed", "failed", "fixes_exhausted")


def test_what_is_counted_fails_a_draft_that_the_model_passes(scripted: Scripted) -> None:
    play(scripted, editorial=[json.dumps(without("hashtags")), json.dumps(LAYOUT)], judge=[answer(passed=True)])
    run = generated(new_editorial())
    failed = run.judgements.get(cycle=1)
    assert (failed.outcome, failed.result["feedback"]) == (
        "failed",
        "content completeness (major): there are no hashtags",
    )
    assert failed.result["findings"] == run.drafts.get(revision=1).findings
    assert run.judge_outcome == "corrected"


def test_counted_and_judged_completeness_are_one_criterion(scripted: Scripted) -> None:
    thin = answer(given("content_completeness", reason="The repair days are missing.", severity="critical"))
    play(scripted, editorial=json.dumps(without("hashtags")), judge=thin)
    run = generated(new_editorial(options={"review_max_fix_attempts": 0}))
    result = run.judgements.get().result
    (completeness,) = [one for one in result["criteria"] if one["criterion"] == "content_completeness"]
    assert (completeness["severity"], completeness["reason"]) == (
        "critical",
        "there are no hashtags; The repair days are missing.",
    )
    assert result["feedback"].splitlines() == [
        "content completeness (major): there are no hashtags",
        "content completeness (critical): The repair days are missing.",
    ]


@pytest.mark.parametrize(("asked", "both"), [("critical", "critical"), ("major", "major"), ("minor", "major")])
def test_the_gravest_severity_counts(scripted: Scripted, asked: str, both: str) -> None:
    thin = answer(given("content_completeness", reason="Thin.", severity=asked, field="/blocks/0"))
    play(scripted, editorial=json.dumps(without("hashtags")), judge=thin)
    result = generated(new_editorial(options={"review_max_fix_attempts": 0})).judgements.get().result
    (completeness,) = [one for one in result["criteria"] if one["criterion"] == "content_completeness"]
    assert completeness["severity"] == both
    assert [(one["field"], one["severity"]) for one in result["findings"]] == [
        ("", "error"),
        ("/blocks/0", "warning" if asked == "minor" else "error"),
    ]


@pytest.mark.parametrize(
    ("field", "kept"),
    [
        ("/title", "/title"),
        ("/blocks/0/paragraphs/1", "/blocks/0/paragraphs/1"),
        ("/blocks/0/paragraphs/2", ""),
        ("/blocks/x", ""),
        ("/nothing", ""),
        ("title", ""),
        ("xtitle", ""),
    ],
)
def test_a_finding_names_only_a_place_that_there_is(scripted: Scripted, field: str, kept: str) -> None:
    play(scripted, judge=answer(given("fact_accuracy", field=field)))
    run = generated(new_editorial(options={"review_max_fix_attempts": 0}))
    assert [one["field"] for one in run.judgements.get().result["findings"]] == [kept]


# --- enrich ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    ["sorry", "{}", '{"mentions": 7}', ProviderError("refused", "no"), ProviderError("unauthorized", "no")],
)
def test_enrich_hands_the_draft_on(scripted: Scripted, line: Any) -> None:
    forged = json.dumps(LAYOUT | {"mentions": [{"name": "Tuva Lind", "kind": "person", "topic": 2}]})
    play(scripted, enrich=line, editorial=forged)
    run = generated(new_editorial())
    draft = run.drafts.get()
    assert (run.status, draft.made_by, draft.content["mentions"]) == ("awaiting_review", "editorial", [])


def test_enrich_hands_the_draft_on_when_nothing_passes(run: Run, scripted: Scripted) -> None:
    play(scripted, enrich=ProviderError("overloaded", "busy", retryable=True))
    for _ in range(MAX_ATTEMPTS):
        Run.objects.update(next_attempt_at=None)
        generated(run)
    assert (run.status, run.judge_outcome, run.drafts.get().made_by) == ("awaiting_review", "passed", "editorial")


def test_what_cannot_be_stored_breaks_no_run_and_the_form_is_the_schemas(run: Run, scripted: Scripted) -> None:
    odd = {"name": "Tuva\0Lind", "kind": "person", "topic": None}
    written = layout(title="  What the rain\0leaves ", subtitle="Tuva\0Lind")
    play(scripted, editorial=json.dumps(written), enrich=json.dumps({"mentions": [odd]}))
    generated(run)
    content = run.drafts.get().content
    assert (run.status, content["title"]) == ("awaiting_review", "What the rain\ufffdleaves")
    assert [one["name"] for one in content["mentions"]] == ["Tuva\ufffdLind"]


def test_enrich_waits_out_what_passes(run: Run, scripted: Scripted) -> None:
    play(
        scripted, enrich=[ProviderError("overloaded", "busy", retryable=True), json.dumps({"mentions": MENTIONS})]
    )
    assert generated(run).status == "queued"
    Run.objects.update(next_attempt_at=None)
    assert generated(run).status == "awaiting_review" and run.drafts.get().made_by == "enrich"
    assert scripted.stages() == ["editorial", "enrich", "enrich", "judge"]


# --- errors --------------------------------------------------------------------------------------


def tried_often(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(attempts=MAX_ATTEMPTS)


CODES = [
    ("timeout", True), ("unreachable", True), ("rate_limited", True), ("overloaded", True), ("refused", False),
    ("truncated", False), ("malformed", True), ("unauthorized", False), ("bad_request", False),
    ("not_configured", False),
]  # fmt: skip


@pytest.mark.parametrize(("code", "retryable"), CODES)
@pytest.mark.parametrize("stage", ["editorial", "judge"])
def test_every_error_of_a_provider_ends_in_words(
    scripted: Scripted, code: str, retryable: bool, stage: str
) -> None:
    play(scripted, **{stage: ProviderError(code, "the far end", retryable=retryable)})
    run = new_editorial()
    Run.objects.update(attempts=MAX_ATTEMPTS - 1)  # the last try
    if stage == "judge":  # an answer before it would give it all its tries anew
        scripted.before = lambda request: tried_often(run)
        for _ in range(MAX_ATTEMPTS):
            generated(run)
            Run.objects.update(next_attempt_at=None)
    run = generated(run)
    ending = (run.status, run.judge_outcome, error_of(run))
    if stage == "judge":
        assert ending == ("needs_human_review", "unavailable", "judge_unavailable")
        assert run.judgements.get().outcome == "unavailable" and code in (run.error or {})["detail"]
    else:
        assert ending == ("failed", "failed", code) and not run.judgements.exists()
    assert (run.error or {})["detail"]


def test_an_exception_on_the_last_try_fails_with_its_reason(scripted: Scripted) -> None:
    play(scripted, editorial=RuntimeError("a bug"))
    run = new_editorial()
    Run.objects.update(attempts=MAX_ATTEMPTS - 1)
    run = generated(run)
    assert (run.status, run.judge_outcome, error_of(run)) == ("failed", "failed", "internal_error")


def test_an_exception_in_the_last_fix_keeps_draft_and_feedback(scripted: Scripted) -> None:
    play(scripted, editorial=[json.dumps(LAYOUT), json.dumps(LAYOUT), RuntimeError("a bug")], judge=FAIL)
    run = new_editorial()
    for _ in range(MAX_ATTEMPTS + 1):
        generated(run)
        Run.objects.update(next_attempt_at=None)
    assert (run.status, error_of(run), run.revision) == ("failed", "internal_error", 2)
    assert list(run.judgements.values_list("outcome", flat=True)) == ["failed", "failed"]


@pytest.mark.parametrize("line", ["Sorry, no.", "[]", "{}"])
def test_no_draft_is_a_failure_with_a_reason(scripted: Scripted, line: str) -> None:
    play(scripted, editorial=line)
    run = generated(new_editorial())
    assert (run.status, run.judge_outcome, error_of(run)) == ("failed", "failed", "malformed_answer")
    assert scripted.stages() == ["editorial"] * 2 and not run.drafts.exists() and not run.judgements.exists()


@pytest.mark.parametrize("stage", ONE_CYCLE)
def test_a_cancelled_run_stops_where_it_is(run: Run, scripted: Scripted, stage: str) -> None:
    def cancels(request: Request) -> None:
        if request.stage == stage:
            runs.cancel(run.id)

    scripted.before = cancels
    generated(run)
    assert (run.status, error_of(run), run.judge_outcome) == ("stopped", "cancelled", "pending")
    assert scripted.stages() == ONE_CYCLE[: ONE_CYCLE.index(stage) + 1] and not run.judgements.exists()


@pytest.mark.parametrize(
    ("stage", "number"), [("editorial", 2), ("enrich", 1), ("enrich", 2), ("judge", 2), ("judge", 3)]
)
def test_a_killed_task_pays_for_nothing_twice(run: Run, scripted: Scripted, stage: str, number: int) -> None:
    play(scripted, judge=[FAIL, "what?", PASS])
    interrupted(run, scripted, stage, number)
    generated(run)
    assert (run.status, run.judge_outcome) == ("awaiting_review", "corrected")
    assert [call.stage for call in run.calls.order_by("id")] == [*ONE_CYCLE * 2, "judge"]


def test_review_off_is_skipped_and_not_passed(scripted: Scripted) -> None:
    play(scripted)
    run = generated(new_editorial(options={"review": False}))
    assert (run.status, run.judge_outcome) == ("awaiting_review", "skipped") and "judge" not in scripted.stages()


def test_the_prompt_of_the_judge_cannot_lose_what_it_needs(run: Run) -> None:
    version = prompts.live("editorial", "judge")
    with pytest.raises(Exception, match="SOURCE"):
        prompts.save_version(version.prompt, system="", user="<<DRAFT>>")


def test_temperature_of_a_version_goes_before(run: Run, scripted: Scripted, settings: Settings) -> None:
    version = prompts.live("editorial", "judge")
    own = prompts.save_version(
        version.prompt, system=version.system, user=version.user, parameters={"effort": "high"}
    )
    prompts.make_live(own, by=None, why="test")
    pipeline.generate(run.id)
    assert scripted.of("judge")[0].parameters == {"effort": "high"} and Call.objects.count() == 3
