"""What generation tells: once for each ending, in the ending's own transaction, without a record's words."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve
from pytest_django.fixtures import Settings

from generation import pipeline, prompts, runs
from generation.models import Batch, Prompt, Run, WebhookMessage
from generation.providers.base import ProviderError
from tests.callers import Caller
from tests.generation.conftest import generated, new_run
from tests.generation.scripted import Scripted
from tests.generation.webhooks.conftest import to

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _somebody_listens(db: None) -> None:
    to("https://example.org/hook")


def told(type: str = "run.finished") -> list[dict[str, Any]]:
    return list(WebhookMessage.objects.filter(type=type).order_by("id").values_list("data", flat=True))


def test_a_finished_run(run: Run) -> None:
    run = generated(run)
    [data] = told()
    assert data == {
        "run": str(run.pk),
        "flow": "item",
        "subcategory": run.subcategory.slug if run.subcategory else "",
        "batch": None,
        "external_id": None,
        "status": "awaiting_review",
        "judge_outcome": "passed",
        "revision": 1,
        "round": 1,
        "error": None,
        "finished_at": data["finished_at"],
        "url": f"/api/v1/runs/{run.pk}",
        "web_url": f"/runs/{run.pk}/",
    }
    assert told("run.needs_human_review") == []


def test_a_run_that_a_person_must_see_is_told_as_both(scripted: Scripted) -> None:
    scripted.play(supervisor=["maybe"] * 9)
    run = generated(new_run(external_id="sku-7"))
    assert run.status == "needs_human_review"
    assert told() == told("run.needs_human_review")
    assert (told()[0]["external_id"], told()[0]["error"]) == ("sku-7", (run.error or {}).get("code"))


def test_a_run_that_waits_for_another_attempt_is_not_finished(run: Run, scripted: Scripted) -> None:
    scripted.play(extraction=[ProviderError("overloaded", "busy", retryable=True)])
    assert generated(run).status == "queued"
    assert told() == []


def test_a_failed_and_a_cancelled_one(scripted: Scripted) -> None:
    scripted.play(extraction=[ProviderError("bad_key", "no", retryable=False)])
    generated(new_run())
    runs.cancel(new_run().pk)
    assert [(data["status"], data["error"]) for data in told()] == [
        ("failed", "bad_key"),
        ("stopped", "cancelled"),
    ]


def test_each_round_has_its_end(run: Run, scripted: Scripted) -> None:
    generated(run)
    runs.start_round(run.pk)
    scripted.play()
    generated(run)
    assert [data["round"] for data in told()] == [1, 2]


def test_nothing_is_told_where_the_lease_was_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has the run tells how it ended."""
    outcome = pipeline.outcome

    def taken_over(*args: Any) -> Any:
        found = outcome(*args)
        Run.objects.update(lease=None)
        return found

    monkeypatch.setattr(pipeline, "outcome", taken_over)
    generated(run)
    assert told() == []


def test_runs_that_a_stop_marker_ended(scripted: Scripted) -> None:
    batch = Batch.objects.create()
    waiting = [new_run() for _ in range(2)]
    stopped = new_run()
    Run.objects.update(batch=batch)
    from generation.stopping import stop_batch

    Run.objects.filter(pk=stopped.pk).update(status="stopped")
    stopped.refresh_from_db()
    stop_batch(stopped)
    assert {data["run"] for data in told()} == {str(run.pk) for run in waiting}
    assert {(data["status"], data["error"]) for data in told()} == {("stopped", "batch_stopped")}


def test_a_prompt_that_went_live_forward_and_back() -> None:
    first = prompts.live("item", "extraction")
    prompt = Prompt.objects.get(pk=first.prompt_id)
    second = prompts.save_version(prompt, system="s", user=first.user, note="secret words")
    prompts.make_live(second, by=None, why="secret reason")
    prompts.make_live(first, by=None, why="")
    assert [(data["previous_version"], data["version"]) for data in told("prompt.activated")] == [
        (None, 1), (1, 2), (2, 1)
    ]  # fmt: skip
    assert "secret" not in str(told("prompt.activated"))
    assert told("prompt.activated")[1]["url"] == "/api/v1/prompts/item/extraction/versions/2"
    assert Caller("read").get("/prompts/item/extraction/versions/2").json()["note"] == "secret words"
    assert told("prompt.activated")[0]["web_url"] == f"/admin/generation/prompt/{prompt.pk}/change/"


def test_addresses_are_whole_where_the_settings_say_whose_they_are(run: Run, settings: Settings) -> None:
    settings.FOLDBACK_URL = "https://foldback.example.org"
    run = generated(run)
    [data] = told()
    assert data["url"] == f"https://foldback.example.org/api/v1/runs/{run.pk}"
    assert Caller("read").get(urlsplit(data["url"]).path.removeprefix("/api/v1")).json()["id"] == str(run.pk)
    assert resolve(urlsplit(data["web_url"]).path).url_name == "run"


def test_no_word_of_a_record_is_told(scripted: Scripted) -> None:
    run = new_run(source={"title": "Geheimbohrer", "text": "Geheim 18 V"}, metadata={"note": "Geheimnis"})
    generated(run)
    assert "eheim" not in str(list(WebhookMessage.objects.values_list("data", flat=True)))


def test_the_document_describes_every_message(run: Run) -> None:
    from generation.models.webhook import TEST, TYPES

    document = Client().get("/api/v1/openapi.json").json()
    assert document["webhooks"].keys() == {*TYPES, TEST}
    for type, described in document["webhooks"].items():
        post = described["post"]
        assert post["summary"] and post["description"]
        schema = post["requestBody"]["content"]["application/json"]["schema"]
        assert schema["properties"]["type"]["const"] == type
        assert {"webhook-id", "webhook-timestamp", "webhook-signature"} <= {p["name"] for p in post["parameters"]}
    generated(run)
    data = document["webhooks"]["run.finished"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    name = data["properties"]["data"]["$ref"].rsplit("/", 1)[-1]
    assert document["components"]["schemas"][name]["properties"].keys() == told()[0].keys()
