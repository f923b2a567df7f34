"""What two do at once, over real connections: one wins, and nothing is counted twice or lost."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection

from generation import lease, prompts, runs, spend
from generation.access import make_key
from generation.intake import parse
from generation.models import DailySpend, PromptVersion, Run
from generation.pipeline import generate
from tests.factories import RunFactory, SubcategoryFactory
from tests.generation.scripted import Scripted

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 6
Result = TypeVar("Result")


def together(do: Callable[[], Result]) -> list[Result]:
    """The results of doing it in several threads that begin at the same moment."""
    ready = Barrier(AT_ONCE)

    def one() -> Result:
        try:
            connection.ensure_connection()
            ready.wait()
            return do()
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [done.result() for done in [pool.submit(one) for _ in range(AT_ONCE)]]


def test_one_worker_gets_the_lease() -> None:
    run = RunFactory(status="queued")
    taken = together(lambda: lease.take(run.id))
    assert sum(found is not None for found in taken) == 1
    run.refresh_from_db()
    assert run.attempts == 1


def test_one_key_makes_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "enqueue", lambda run_id: None)
    key, _ = make_key("caller")
    body = parse({"flow": "item", "source": {"title": "x"}})
    made = together(lambda: runs.create(body, api_key=key, idempotency_key="k"))
    assert len({run.id for run in made}) == 1 == Run.objects.count()


def test_spend_is_summed() -> None:
    together(lambda: spend.add(Decimal("0.10"), uuid.uuid4()))
    assert DailySpend.objects.get().cost_usd == Decimal("0.10") * AT_ONCE


def test_one_first_version() -> None:
    versions = together(lambda: prompts.live("item", "extraction"))
    assert len({version.pk for version in versions}) == 1 == PromptVersion.objects.count()


def test_versions_get_numbers_of_their_own() -> None:
    prompt = prompts.live("item", "extraction").prompt
    made = together(lambda: prompts.save_version(prompt, system="", user="<<SOURCE>>"))
    assert sorted(version.number for version in made) == list(range(2, AT_ONCE + 2))


def test_of_those_who_saw_the_same_newest_version_one_saves() -> None:
    prompt = prompts.live("item", "extraction").prompt

    def save() -> int | None:
        try:
            return prompts.save_version(prompt, system="", user="<<SOURCE>>", newest_seen=1).number
        except prompts.Overtaken:
            return None

    assert sorted(together(save), key=str) == [2, *[None] * (AT_ONCE - 1)]


def test_no_transaction_is_open_while_a_provider_is_asked(scripted: Scripted) -> None:
    open_ones: list[bool] = []
    scripted.play(extraction="{}", categorizer='{"subcategory": "drills"}')
    scripted.before = lambda request: open_ones.append(connection.in_atomic_block)
    SubcategoryFactory(slug="drills")
    run = RunFactory(status="queued", revision=0, subcategory=None, provider="scripted")
    generate(run.id)
    assert scripted.stages() == ["categorizer", "extraction", "formatter", "supervisor"]
    assert open_ones == [False] * 4
