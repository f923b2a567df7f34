"""A run through the pipeline: what is stored on the way, and that every way out says why."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError
from pytest_django.fixtures import Settings

from generation import lease as leases
from generation import prompts, runs
from generation.flows.base import Made
from generation.guidance import Fragment, Guidance, GuidanceRequest
from generation.models import Call, DailySpend, Draft, Judgement, NodeEvent, Run
from generation.providers.base import ProviderError
from generation.run_trail import RunTrail
from generation.work import MAX_ATTEMPTS
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted, record

pytestmark = pytest.mark.django_db


def test_a_good_run(run: Run, scripted: Scripted) -> None:
    generated(run)
    assert (run.status, run.judge_outcome, run.error, run.revision) == ("awaiting_review", "passed", None, 1)
    assert scripted.stages() == ["extraction", "supervisor"]
    assert run.finished_at and run.started_at and run.lease is None and run.model == "scripted-1"
    draft = run.drafts.get()
    assert (draft.made_by, draft.content["name"], draft.findings) == ("extraction", "Makita DHP484", [])
    judgement = run.judgements.get()
    assert (judgement.outcome, judgement.cycle, judgement.draft, judgement.kind) == (
        "passed",
        1,
        draft,
        "supervisor",
    )
    assert judgement.call == run.calls.get(stage="supervisor") and judgement.correction_applied is False


def test_calls_are_stored_as_they_were_sent(run: Run, scripted: Scripted) -> None:
    generated(run)
    for call, request in zip(run.calls.order_by("id"), scripted.requests, strict=True):
        assert (call.stage, call.system, call.user) == (request.stage, request.system, request.user)
        assert call.prompt_version is not None and call.answer and call.error is None
        assert (call.input_tokens, call.output_tokens, call.request["max_tokens"]) == (100, 10, 1)
    assert (run.input_tokens, run.output_tokens) == (200, 20)


def test_the_stable_part_holds_nothing_of_the_run(run: Run, scripted: Scripted) -> None:
    generated(run)
    (request,) = scripted.of("extraction")
    assert "<source>\nMakita DHP484\n</source>" in request.volatile
    assert "Makita" not in request.stable and "Halden" in request.stable  # the static example


def test_progress_is_told_with_badges(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor=["FAIL: no", "PASS"])
    generated(run)
    events = NodeEvent.objects.filter(run=run).values_list("kind", "node", "badge", "attempt")
    assert list(events.order_by("id")) == [
        ("status", "generating", "", 1),
        ("node_enter", "extraction", "", 1),
        ("node_complete", "extraction", "", 1),
        ("status", "reviewing", "", 1),
        ("node_enter", "supervisor", "REVIEW", 1),
        ("node_complete", "supervisor", "REVIEW", 1),
        ("status", "fixing", "", 1),
        ("node_enter", "extraction", "FIX", 2),
        ("node_complete", "extraction", "FIX", 2),
        ("status", "reviewing", "", 1),
        ("node_enter", "supervisor", "REVIEW", 2),
        ("node_complete", "supervisor", "REVIEW", 2),
        ("status", "awaiting_review", "", 1),
    ]


@pytest.mark.parametrize(
    ("fails", "status", "outcome", "judgements"),
    [
        (0, "awaiting_review", "passed", 1),
        (1, "awaiting_review", "corrected", 2),
        (2, "awaiting_review", "corrected", 3),
        (3, "needs_human_review", "needs_human_review", 3),
        (9, "needs_human_review", "needs_human_review", 3),
    ],
)
def test_fail_goes_back_twice_at_most(
    run: Run, scripted: Scripted, fails: int, status: str, outcome: str, judgements: int
) -> None:
    scripted.play(supervisor=["FAIL: wrong"] * fails + ["PASS"])
    generated(run)
    assert (run.status, run.judge_outcome) == (status, outcome)
    assert (run.judgements.count(), run.drafts.count(), run.revision) == (judgements, judgements, judgements)
    assert (run.error is None) == (status == "awaiting_review")


@pytest.mark.parametrize(("fixes", "judgements"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_the_request_says_how_many_fixes(scripted: Scripted, fixes: int, judgements: int) -> None:
    scripted.play(supervisor="FAIL: wrong")
    run = generated(new_run(options={"review_max_fix_attempts": fixes}))
    assert (run.status, run.judgements.count()) == ("needs_human_review", judgements)
    assert run.error == {
        "code": "fixes_exhausted",
        "detail": f"failed {judgements} judgement{'s' * (judgements > 1)}; {fixes} fixes were allowed",
    }
    assert list(run.judgements.values_list("correction_applied", flat=True)) == [True] * fixes + [False]


def test_a_number_of_fixes_below_zero_is_none(run: Run, scripted: Scripted, settings: Settings) -> None:
    settings.FOLDBACK_REVIEW_MAX_FIX_ATTEMPTS = -1
    scripted.play(supervisor="FAIL: wrong")
    generated(run)
    assert (run.status, run.judgements.count()) == ("needs_human_review", 1)
    assert run.error is not None and run.error["code"] == "fixes_exhausted"


def test_feedback_is_the_newest_alone(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor=["FAIL: too heavy", "FAIL: too long", "PASS"])
    generated(run)
    first, second, third = scripted.of("extraction")
    assert "<feedback>" not in first.user and "<draft>" not in first.user
    assert "<feedback>\ntoo heavy\n</feedback>" in second.user and '"Makita DHP484"' in second.volatile
    assert "too long" in third.user and "too heavy" not in third.user


def test_neither_word_is_unavailable(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor="I would say it passes.")
    generated(run)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")
    assert run.error is not None and run.error["code"] == "judge_unavailable"
    assert run.judgements.get().outcome == "unavailable"


def test_a_judge_out_of_reach_is_unavailable(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor=ProviderError("unauthorized", "no"))
    generated(run)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")
    judgement = run.judgements.get()
    assert (judgement.outcome, judgement.call, judgement.result["code"]) == ("unavailable", None, "unauthorized")


@pytest.mark.parametrize("code", ["timeout", "unreachable", "rate_limited", "overloaded", "malformed"])
def test_a_passing_error_of_the_supervisor_waits_and_on_the_last_try_is_unavailable(
    run: Run, scripted: Scripted, code: str
) -> None:
    scripted.play(supervisor=ProviderError(code, "not now", retryable=True))
    generated(run)
    assert (run.status, run.judge_outcome, run.judgements.count()) == ("queued", "pending", 0)
    Run.objects.update(attempts=MAX_ATTEMPTS - 1, next_attempt_at=None)
    generated(run)
    assert (run.status, run.judge_outcome) == ("needs_human_review", "unavailable")
    assert run.error == {"code": "judge_unavailable", "detail": f"{code}: not now", "cause": code}
    assert (run.judgements.get().outcome, run.revision) == ("unavailable", 1)


@pytest.mark.parametrize("how", ["request", "setting"])
def test_review_off_is_skipped_and_not_passed(scripted: Scripted, settings: Settings, how: str) -> None:
    settings.FOLDBACK_REVIEW = how == "request"
    run = generated(new_run(options={"review": False} if how == "request" else {}))
    assert (run.status, run.judge_outcome) == ("awaiting_review", "skipped")
    assert scripted.stages() == ["extraction"] and not run.judgements.exists()


def test_a_draft_that_no_judge_saw_is_made_anew_in_the_next_round(scripted: Scripted) -> None:
    scripted.play(extraction=[record(), record(name="Makita DHP486")])
    run = generated(new_run(options={"review": False}))
    runs.start_round(run.id)
    generated(run)
    assert (run.status, run.judge_outcome, run.revision) == ("awaiting_review", "skipped", 2)
    assert [(one.round, one.content["name"]) for one in run.drafts.order_by("revision")] == [
        (1, "Makita DHP484"),
        (2, "Makita DHP486"),
    ]


def test_the_request_beats_the_setting(scripted: Scripted, settings: Settings) -> None:
    settings.FOLDBACK_REVIEW = False
    assert generated(new_run(options={"review": True})).judge_outcome == "passed"


def test_the_judge_may_have_a_model_of_its_own(run: Run, scripted: Scripted, settings: Settings) -> None:
    settings.FOLDBACK_MODEL, settings.FOLDBACK_JUDGE_MODEL = "writer", "judge"
    generated(run)
    assert [request.model for request in scripted.requests] == ["writer", "judge"]


def test_a_versions_own_model_and_wording_are_used(run: Run, scripted: Scripted) -> None:
    first = prompts.live("item", "extraction")
    version = prompts.save_version(first.prompt, system="Be brief.", user="<<SOURCE>>", model="its own")
    prompts.make_live(version, by=None, why="test")
    generated(run)
    (request,) = scripted.of("extraction")
    assert (request.model, request.system, request.stable) == ("its own", "Be brief.", "")
    assert run.calls.get(stage="extraction").prompt_version == version


# --- form -----------------------------------------------------------------------------------------

LOOSE = record(dimensions={"length": {"value": "18,2", "unit": "cm"}})


def test_a_loose_form_is_mended_by_the_formatter(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=LOOSE)
    generated(run)
    assert scripted.stages() == ["extraction", "formatter", "supervisor"]
    draft = run.drafts.get()
    assert (draft.made_by, draft.content["dimensions"]["length"]["value"]) == ("formatter", 18.2)
    assert "/dimensions/length/value" in scripted.of("formatter")[0].user


def test_a_form_that_cannot_be_mended_fails_with_its_reason(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=LOOSE, formatter=LOOSE)
    generated(run)
    assert (run.status, run.judge_outcome, run.revision) == ("failed", "failed", 0)
    assert run.error is not None and run.error["code"] == "malformed_record"
    assert "/dimensions/length/value" in run.error["detail"]


def test_a_formatter_that_answers_rubbish_does_not_lose_a_usable_record(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=record(dimensions={"length": {"value": 2, "unit": "Ellen"}}), formatter="sorry")
    generated(run)
    assert run.status == "awaiting_review" and run.suspicion == "'Ellen' is no known unit"
    assert run.drafts.get().findings[0]["code"] == "unknown_unit"


def test_a_finding_of_any_length_can_be_kept(run: Run, scripted: Scripted) -> None:
    loose = record(dimensions={"length": {"value": 2, "unit": "Ellen" * 200}})
    scripted.play(extraction=loose, formatter="sorry")
    generated(run)
    assert (run.status, len(run.suspicion)) == ("awaiting_review", 300)
    assert len(run.drafts.get().findings[0]["detail"]) > 1000


def test_a_draft_that_cannot_be_stored_moves_no_revision(run: Run) -> None:
    lease = leases.take(run.id)
    assert lease is not None
    with pytest.raises(DatabaseError):
        RunTrail(run, lease).keep_draft(Made({"name": "a\0"}, "extraction"))
    run.refresh_from_db()
    assert run.revision == 0 and not run.drafts.exists()


def test_an_unreadable_answer_is_asked_once_more(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=["Sorry, no.", "```json\n" + record() + "\n```"])
    generated(run)
    assert run.status == "awaiting_review" and run.calls.filter(stage="extraction").count() == 2


def test_two_unreadable_answers_fail_with_a_reason(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction="Sorry, no.")
    generated(run)
    assert run.status == "failed" and run.error is not None and run.error["code"] == "malformed_answer"
    assert scripted.stages() == ["extraction"] * 2 and not run.drafts.exists()


def test_what_postgresql_cannot_hold_does_not_break_the_run(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=json.dumps(json.loads(record()) | {"description": "a\0b\ud800"}))
    generated(run)
    assert run.status == "awaiting_review" and run.drafts.get().content["description"] == "a\ufffdb\ufffd"


# --- what learning says ---------------------------------------------------------------------------

GUIDANCE: dict[str, Any] = {}


def resolver(request: GuidanceRequest) -> Guidance:
    return Guidance(**GUIDANCE) if request.stage in ("extraction", "formatter") else Guidance()


@pytest.fixture
def guided(scripted: Scripted, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    settings.PROMPT_RESOLVER = "tests.generation.test_pipeline.resolver"
    said: dict[str, Any] = {}
    monkeypatch.setattr("tests.generation.test_pipeline.GUIDANCE", said)
    return said


def test_guidance_is_in_the_prompt_and_kept_with_its_evidence(guided: dict[str, Any], scripted: Scripted) -> None:
    guided |= {
        "fragments": (
            Fragment("EXTRACTION_REVIEW", "Look for <<SOURCE>>.", "missing_spec_trigger", "missing_spec", (4, 9)),
            Fragment("EXTRACTION_REVIEW", "Check units.", "wrong_physical_dimensions_trigger", "wrong", (9,)),
            Fragment("EXAMPLE_ITEM", '{"name": "An example"}', "example", run=None),
            Fragment("ELSEWHERE", "zebra", "notes"),
        ),
        "trigger_state": {"bad_format_trigger": {"fired": False}},
        "degradations": ("example",),
    }  # fmt: skip
    run = generated(new_run())
    prompt = scripted.of("extraction")[0].stable
    assert "Look for <<SOURCE>>.\nCheck units." in prompt and '{"name": "An example"}' in prompt
    assert "Halden" not in prompt and "zebra" not in prompt
    injections = run.calls.get(stage="extraction").injections.values_list("placeholder", "reason", "evidence")
    assert list(injections) == [
        ("EXTRACTION_REVIEW", "missing_spec_trigger", [4, 9]),
        ("EXTRACTION_REVIEW", "wrong_physical_dimensions_trigger", [9]),
        ("EXAMPLE_ITEM", "example", []),
    ]
    assert run.trigger_state == {"bad_format_trigger": {"fired": False}} and run.degradations == ["example"]


def test_guidance_may_ask_for_the_formatter(guided: dict[str, Any], scripted: Scripted) -> None:
    guided["force_formatter"] = True
    run = generated(new_run())
    assert scripted.stages() == ["extraction", "formatter", "supervisor"]
    assert run.drafts.get().made_by == "formatter"


@pytest.mark.parametrize("broad", [True, False])
def test_search_follows_guidance_and_explicit_queries_stay(
    guided: dict[str, Any], scripted: Scripted, broad: bool
) -> None:
    guided["broad_search"] = broad
    run = generated(new_run(source={"title": "x", "search_queries": ["x manual"]}))
    assert run.calls.get(stage="extraction").request["search"] == {"broad": broad, "queries": ["x manual"]}
    assert run.calls.get(stage="supervisor").request["search"] == {"broad": False, "queries": []}
    assert scripted.of("extraction")[0].search.wanted


def test_a_resolver_that_breaks_costs_the_guidance_alone(scripted: Scripted, settings: Settings) -> None:
    run = generated(new_run())
    unguided = scripted.of("extraction")[0].user
    settings.PROMPT_RESOLVER = "tests.generation.test_pipeline.nothing_there"
    run = generated(new_run(subcategory=run.subcategory.slug if run.subcategory else None))
    assert scripted.of("extraction")[1].user == unguided
    assert run.status == "awaiting_review" and run.degradations == ["resolution"]


# --- money ----------------------------------------------------------------------------------------


def test_cost_is_added_up(run: Run, settings: Settings) -> None:
    settings.PRICES_USD = {"scripted": ("10", "100", "0", "0")}
    generated(run)
    assert run.cost_usd == Decimal("0.004") == DailySpend.objects.get().cost_usd


def test_the_cap_sends_the_run_back_until_midnight(run: Run, scripted: Scripted, settings: Settings) -> None:
    settings.PRICES_USD = {"scripted": ("10", "100", "0", "0")}
    settings.FOLDBACK_SPEND_CAP_USD = Decimal("0.002")
    generated(run)
    assert (run.status, run.lease, run.attempts) == ("queued", None, 0)
    assert run.error is not None and run.error["code"] == "spend_cap"
    assert run.next_attempt_at is not None and run.next_attempt_at.strftime("%H:%M:%S") == "00:00:00"
    assert scripted.stages() == ["extraction"]
    settings.FOLDBACK_SPEND_CAP_USD = Decimal(0)
    assert generated(run).status == "queued"  # not before its time
    Run.objects.update(next_attempt_at=None)
    assert generated(run).status == "awaiting_review" and run.error is None
    assert scripted.stages() == ["extraction", "supervisor"]
    assert (Draft.objects.count(), Judgement.objects.count(), Call.objects.count()) == (1, 1, 2)
