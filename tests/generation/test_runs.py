"""Making runs, and moving them on or back."""

from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

import pytest
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks
from pytest_django.fixtures import Settings

from generation import runs
from generation.access import make_key
from generation.batches import create_many
from generation.errors import BadInput, Conflict
from generation.ids import uuid7
from generation.intake import RunIn, parse
from generation.models import Institution, NodeEvent, Run, Status
from generation.new_run import arm_of
from generation.providers.base import ProviderError
from generation.tasks import generate_run
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.generation.conftest import generated
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db


def body(**changes: object) -> RunIn:
    return parse({"flow": "item", "source": {"title": "A  drill\nand more"}} | changes)


def test_a_run_has_what_was_said_and_what_follows_from_it(settings: Settings) -> None:
    settings.FOLDBACK_PROVIDER, settings.FOLDBACK_MODEL = "anthropic", "claude-sonnet-5-5"
    subcategory, institution = SubcategoryFactory(), Institution.objects.create(slug="house", name="House")
    run = runs.create(
        body(subcategory=subcategory.slug, institution="house", external_id="7", metadata={"a": [1]})
    )
    run.refresh_from_db()
    assert (run.status, run.title, run.round, run.revision) == ("queued", "A drill and more", 1, 0)
    assert (run.subcategory, run.institution, run.external_id) == (subcategory, institution, "7")
    assert (run.metadata, run.options, run.arm) == ({"a": [1]}, {}, "guided")
    assert (run.provider, run.model) == ("anthropic", "claude-sonnet-5-5")


def test_unknown_names_are_told_and_nothing_is_written() -> None:
    with pytest.raises(BadInput) as refused:
        runs.create(body(subcategory="no-such", institution="none"))
    assert [problem.pointer for problem in refused.value.problems] == ["/subcategory", "/institution"]
    assert not Run.objects.exists()


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (1.0, 300, 300), (0.5, 110, 190)])
def test_the_holdouts_share_goes_to_control(share: float, least: int, most: int) -> None:
    assert least <= sum(arm_of(uuid7(), Decimal(share)) == "control" for _ in range(300)) <= most


def test_the_arm_is_the_ids_alone() -> None:
    run_id = uuid7()
    assert len({arm_of(run_id, Decimal("0.5")) for _ in range(5)}) == 1


def test_the_same_key_and_body_give_the_same_run() -> None:
    key, _ = make_key("caller")
    other, _ = make_key("other")
    first = runs.create(body(), api_key=key, idempotency_key="k")
    assert runs.create(body(), api_key=key, idempotency_key="k") == first
    assert runs.create(body(), api_key=other, idempotency_key="k") != first
    assert runs.create(body(), api_key=key) != first
    with pytest.raises(Conflict):
        runs.create(body(external_id="8"), api_key=key, idempotency_key="k")


def test_a_batch_takes_the_good_ones_and_names_the_bad() -> None:
    good = {"flow": "item", "source": {"title": "x"}}
    batch, made, bad = create_many(
        [good, "rubbish", good | {"subcategory": "no-such"}, good, good | {"source": {}}], name="b", parallel=True
    )
    assert batch is not None
    assert (batch.name, batch.parallel, batch.runs.count(), len(made)) == ("b", True, 2, 2)
    assert [(index, error.problems[0].pointer) for index, error in bad] == [
        (1, ""),
        (2, "/subcategory"),
        (4, "/source"),
    ]


def test_a_thousand_runs_take_no_more_reads_than_one(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    subcategory = SubcategoryFactory()
    good = {"flow": "item", "source": {"title": "x"}, "subcategory": subcategory.slug}
    with django_assert_num_queries(5):  # subcategories, savepoint, batch, COPY, release
        create_many([good] * 1000)
    with pytest.raises(BadInput):
        create_many([good] * 1001)


def test_a_broker_that_is_away_loses_nothing(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionError

    monkeypatch.setattr("celery.app.amqp.AMQP.send_task_message", property(lambda self: refuse))
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.create(body())
    with django_capture_on_commit_callbacks(execute=True):
        create_many([{"flow": "item", "source": {"title": "A drill"}}] * 2)
    assert Run.objects.filter(pk=run.pk, status="queued").exists()
    assert Run.objects.filter(status="queued").count() == 3


@pytest.mark.parametrize("status", Status.values)
def test_cancel_from_in_progress_alone(status: str) -> None:
    run = RunFactory(status=status)
    if status in ("queued", "generating", "reviewing", "fixing"):
        assert runs.cancel(run.id).status == "stopped"
        assert NodeEvent.objects.get(run=run).node == "stopped"
    else:
        with pytest.raises(Conflict, match="cannot be cancelled"):
            runs.cancel(run.id)


@pytest.mark.parametrize("status", Status.values)
def test_retry_from_failed_stopped_and_rejected_alone(status: str) -> None:
    run = RunFactory(status=status)
    if status in ("failed", "stopped", "rejected"):
        assert runs.retry(run.id).status == "queued"
    else:
        with pytest.raises(Conflict, match="cannot be retried"):
            runs.retry(run.id)


@pytest.mark.parametrize("again", [runs.retry, runs.start_round])
def test_a_run_that_begins_again_is_handed_to_a_worker(
    again: Callable[[UUID], object],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(generate_run, "delay", sent.append)
    run = RunFactory(status=Status.FAILED)
    with django_capture_on_commit_callbacks(execute=True):
        again(run.id)
    assert sent == [str(run.id)]


def test_an_unknown_run_is_told() -> None:
    with pytest.raises(Run.DoesNotExist):
        runs.retry(uuid7())


def test_retry_of_a_run_that_broke_off_goes_on_and_pays_once(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=["no json", ProviderError("unauthorized", "bad key"), '{"name": "x"}'])
    assert generated(run).status == "failed"
    runs.retry(run.id)
    generated(run)
    assert (run.status, run.round, run.error) == ("awaiting_review", 1, None)
    assert list(run.calls.order_by("id").values_list("stage", "attempt")) == [
        ("extraction", 1),
        ("extraction", 2),
        ("extraction", 3),
        ("supervisor", 1),
    ]


def test_retry_of_a_run_that_came_to_its_end_begins_the_next_round(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=["no json", "no json", '{"name": "x"}'])
    assert generated(run).status == "failed"
    runs.retry(run.id)
    generated(run)
    assert (run.status, run.round, run.judge_outcome) == ("awaiting_review", 2, "passed")


def test_a_round_keeps_what_came_before_and_has_its_own_fixes(run: Run, scripted: Scripted) -> None:
    scripted.play(supervisor="FAIL: no")
    assert generated(run).status == "needs_human_review"
    runs.start_round(run.id)
    run.refresh_from_db()
    assert (run.status, run.round, run.judge_outcome, run.error) == ("queued", 2, "pending", None)
    assert (run.revision, run.finished_at, run.attempts) == (3, None, 0)
    generated(run)
    assert list(run.judgements.values_list("round", "cycle")) == [(r, c) for r in (1, 2) for c in (1, 2, 3)]
    assert (run.revision, run.drafts.count()) == (6, 6)
    second_round = scripted.of("extraction")[3].user
    assert "<draft>" in second_round and "<feedback>" not in second_round  # the last draft, no old feedback


def test_a_run_in_progress_starts_no_round() -> None:
    run = RunFactory(status="reviewing")
    with pytest.raises(Conflict):
        runs.start_round(run.id)


def test_a_persons_draft_is_revised_and_not_judged_as_the_rounds_own(run: Run, scripted: Scripted) -> None:
    generated(run)
    DraftFactory(run=run, revision=2, content={"name": "by hand"}, made_by="person")
    Run.objects.filter(pk=run.pk).update(revision=2)
    runs.start_round(run.id)
    generated(run)
    assert "by hand" in scripted.of("extraction")[1].user and run.revision == 3
