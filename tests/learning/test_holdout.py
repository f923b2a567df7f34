"""The holdout: nothing that a window says ever reaches a prompt of the control arm, by whatever way it is made."""

from collections import Counter
from typing import Any

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from generation import prompts as stored_prompts
from generation import providers
from generation.guidance import GuidanceRequest
from generation.models import Call, Injection, Run, Status
from learning.resolver import resolve
from review.models import SIGNALS
from tests.factories import DraftFactory, SubcategoryFactory, UserFactory
from tests.generation.scripted import PROVIDER
from tests.generation.trials.conftest import draft_of, past_runs, tried
from tests.learning.histories import history, reviewed
from tests.learning.whole_lives import WholeLife

pytestmark = pytest.mark.django_db
OWN = {*SIGNALS, "missing_spec", "notes", "subcategory"}


@pytest.fixture(autouse=True)
def _scripted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(providers.PROVIDERS, "scripted", "tests.generation.scripted")
    settings.FOLDBACK_PROVIDER = "scripted"


def sent(run: Run) -> list[tuple[Any, ...]]:
    """Every call as it was sent, with what guidance steered; not what it knew and did not obey."""
    steers = ("broad_search", "force_formatter", "example_run")
    return [
        (
            call.round, call.cycle, call.stage, call.attempt, call.system, call.user,
            {name: value for name, value in call.request.items() if name != "guidance"},
            [call.request["guidance"][name] for name in steers],
        )
        for call in Call.objects.filter(run=run).order_by("id")
    ]  # fmt: skip


def lived(seed: int, *, learns: bool, acts: int) -> tuple[WholeLife, list[list[tuple[Any, ...]]], Counter[str]]:
    """A life, and what its held-out runs were sent; nothing of it stays. Counted: what would have been said."""
    with transaction.atomic():
        life = WholeLife(seed, learns)
        life.live(acts)
        held_out = [life.runs[place] for place in sorted(life.held_out)]
        prompts = [sent(run) for run in held_out]
        seen: Counter[str] = Counter()
        for run in Run.objects.filter(arm="control"):
            seen["a trigger was on"] += any(told["fired"] for told in _triggers(run))
            seen["later round"] += run.round > 1
            _holds(run)
        window = Injection.objects.filter(call__run__arm="guided", reason__endswith="_trigger")
        seen["guided by the window"] += window.count()
        seen["shown an example"] += Injection.objects.filter(reason="example").count()
        seen["own review"] += Injection.objects.filter(call__run__arm="control").count()
        transaction.set_rollback(True)
    return life, prompts, seen


def _triggers(run: Run) -> list[dict[str, Any]]:
    return [told for told in (run.trigger_state or {}).get("triggers", {}).values() if isinstance(told, dict)]


def _holds(run: Run) -> None:
    """What the stored calls of a run of the control arm say: its own reviews, and nothing else."""
    own = set(run.review_events.values_list("pk", flat=True))
    for injection in Injection.objects.filter(call__run=run):
        assert injection.reason in OWN, injection.reason
        assert injection.call.round > 1 and set(injection.evidence) <= own
    said = {name: set(run.review_events.values_list(name, flat=True)) for name in SIGNALS}
    for call in Call.objects.filter(run=run):
        guidance = call.request["guidance"]
        assert guidance["example_run"] is None
        assert guidance["broad_search"] or (call.round > 1 and True in said["information_present"])
        assert not guidance["force_formatter"] or (call.round > 1 and True in said["bad_format"])


@pytest.mark.parametrize("seed", range(6))
def test_a_held_out_run_is_sent_what_an_installation_sends_that_never_learns(seed: int) -> None:
    learned, with_learning, seen = lived(seed, learns=True, acts=80)
    _never, without, _seen = lived(seed, learns=False, acts=80)
    assert len(with_learning) == len(without) == len(learned.held_out)
    for here, there in zip(with_learning, without, strict=True):
        assert here == there
    assert all(seen[what] for what in seen), seen


def test_a_held_out_run_is_tried_without_what_the_window_says() -> None:
    """The trial of a draft prompt asks with today's guidance, and for a run of the control arm with none."""
    PROVIDER.play()
    stored_prompts.seed()
    subcategory = SubcategoryFactory()
    held_out, guided = past_runs(subcategory, 2)
    Run.objects.filter(pk=held_out.pk).update(arm="control")
    history(subcategory, [[{"bad_format": True, "wrong_information": True}]] * 10)
    DraftFactory(run=reviewed(subcategory, {}, status=Status.APPROVED), content={"name": "Some example"})
    window = resolve(GuidanceRequest("item", "extraction", subcategory.pk)).fragments
    assert {fragment.reason for fragment in window} > {"bad_format_trigger", "example"}
    admin = UserFactory(is_superuser=True)
    for run, speaks in ((held_out, False), (guided, True)):
        PROVIDER.requests.clear()
        tried(draft_of(), subcategory, [Run.objects.get(pk=run.pk)], admin)
        (request,) = PROVIDER.of("extraction")
        assert [fragment.text in request.user for fragment in window] == [speaks] * len(window)
        assert bool(PROVIDER.of("formatter")) == speaks
