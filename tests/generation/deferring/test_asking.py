"""How callers ask for the lower price, who is refused it, and where they see what waits."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from generation import runs
from generation.deferring.sending import send
from generation.models import Batch, DeferredCall, Run
from generation.pages import batch_page
from tests import people
from tests.batches_api import BatchesApi
from tests.callers import Caller
from tests.generation.deferring.conftest import economical, exchanged, worked

pytestmark = pytest.mark.django_db


def drill(n: int, **given: Any) -> dict[str, Any]:
    return {"flow": "item", "source": {"title": f"Drill {n}"}} | given


@pytest.fixture
def call(batches: BatchesApi) -> Caller:
    return Caller()


def test_a_run_asks_for_itself(call: Caller) -> None:
    answer = call("POST", "/runs", drill(1, options={"economy": True}))
    assert answer.status_code == 202
    assert Run.objects.get().options == {"economy": True}


def test_a_batch_asks_for_all_its_runs_but_those_that_say(call: Caller) -> None:
    bodies = [drill(1), drill(2, options={"economy": False, "review": False}), drill(3, options={"review": False})]
    assert call("POST", "/runs/batch", {"runs": bodies, "economy": True}).status_code == 202
    made = Run.objects.order_by("id")
    assert [run.options.get("economy") for run in made] == [True, False, True]
    assert [run.options.get("review") for run in made] == [None, False, False]
    worked(*made)
    assert DeferredCall.objects.count() == 2 and [run.status for run in made].count("generating") == 2


@pytest.mark.parametrize("provider", ["demo", "command"])
@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/runs", drill(1, options={"economy": True}), "/options/economy"),
        ("/runs/batch", {"economy": True, "runs": [drill(1)]}, "/economy"),
    ],
)
def test_a_provider_without_the_interface_is_told(
    call: Caller, settings: Settings, provider: str, path: str, body: dict[str, Any], pointer: str
) -> None:
    settings.FOLDBACK_PROVIDER = provider
    answer = call("POST", path, body)
    assert answer.status_code == 422 and answer.json()["errors"][0]["pointer"].endswith(pointer)
    assert provider in answer.json()["errors"][0]["detail"]
    assert not Run.objects.exists() and not Batch.objects.exists()


def test_a_run_of_a_batch_that_asks_in_vain_is_named(call: Caller, settings: Settings) -> None:
    settings.FOLDBACK_PROVIDER = "demo"
    answer = call("POST", "/runs/batch", {"runs": [drill(1), drill(2, options={"economy": True})]}).json()
    assert answer["created"] == 1
    assert [error["errors"][0]["pointer"] for error in answer["errors"]] == ["/runs/1/options/economy"]


def test_an_import_asks_for_all_its_runs(batches: BatchesApi, tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(drill(n)) for n in range(2)))
    call_command("import_runs", str(file), "--economy")
    assert [run.options for run in Run.objects.all()] == [{"economy": True}] * 2
    settings.FOLDBACK_PROVIDER = "demo"
    with pytest.raises(CommandError, match="no batch interface"):
        call_command("import_runs", str(file), "--economy")


def test_what_waits_is_told(call: Caller, batches: BatchesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    made = call("POST", "/runs/batch", {"economy": True, "runs": [drill(n) for n in range(4)]}).json()
    runs_made = list(Run.objects.order_by("id"))
    path = f"/batches/{made['batch']}"
    worked(*runs_made[:3])
    monkeypatch.setattr("generation.deferring.sending.MOST", 2)
    monkeypatch.setattr("generation.deferring.sending.AT_ONCE", 1)
    send()
    waiting = call("GET", path).json()["waiting"]
    assert (waiting["to_send"], waiting["at_provider"]) == (1, 2) and waiting["since"]
    page = batch_page(Batch.objects.get())
    assert (page.working, page.working_total, page.waiting.total, page.open) == ([], 0, 3, 4)
    text = people.reviewer().get(f"/batches/{made['batch']}/").text
    assert "Waiting at the provider" in text and "Waiting to be sent there" in text
    runs.cancel(runs_made[0].pk)
    assert call("GET", path).json()["waiting"]["at_provider"] == 1


def test_nothing_waits_in_another_batch(call: Caller, batches: BatchesApi) -> None:
    worked(economical())
    exchanged(batches, lambda params: None)
    made = call("POST", "/runs/batch", {"runs": [drill(1)]}).json()
    assert call("GET", f"/batches/{made['batch']}").json()["waiting"]["since"] is None
    assert "at the provider" not in people.reviewer().get(f"/batches/{made['batch']}/").text
