"""ETags, what is left of a key's calls, and creations that are sent twice, over real HTTP."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from generation import idempotency
from generation.access import make_key
from generation.errors import BadInput
from generation.models import ApiKey, Batch, Call, IdempotencyKey, Injection, Judgement, Run, Status, Subcategory
from tests.callers import Caller
from tests.factories import DraftFactory, RunFactory

pytestmark = pytest.mark.django_db
ITEM = {"flow": "item", "source": {"title": "Cordless drill", "text": "18 V, 1.8 kg"}}


@pytest.fixture
def call() -> Caller:
    return Caller()


def again(call: Caller, path: str, etag: str) -> Any:
    return call("GET", path, If_None_Match=etag)


@pytest.mark.django_db(transaction=True)  # a version is a transaction's
@pytest.mark.parametrize("part", ["", "/calls"])
def test_a_runs_etag_changes_with_all_that_the_answer_tells(
    call: Caller, part: str, django_assert_num_queries: Any
) -> None:
    run = DraftFactory().run
    sent = Call.objects.create(run=run, stage="extraction", provider="demo", answer="{}")
    path = f"/runs/{run.pk}{part}"
    acts: list[Callable[[], object]] = [
        lambda: Run.objects.filter(pk=run.pk).update(status=Status.FAILED),
        lambda: Judgement.objects.create(run=run, round=1, cycle=1, kind="x", outcome="passed", result={}),
        lambda: Call.objects.filter(pk=sent.pk).update(answer="", forgotten_at=timezone.now()),
        lambda: Injection.objects.create(call=sent, placeholder="X", guidance_key="k", text="t", reason="r"),
        lambda: Subcategory.objects.update(slug="renamed"),
    ]
    for act in acts:
        etag = call.get(path)["ETag"]
        with django_assert_num_queries(3):  # the key, its count of calls, the versions
            unchanged = again(call, path, etag)
        assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", etag)
        act()
        changed = again(call, path, etag)
        assert (changed.status_code, changed["ETag"] == etag) == (200, False), act


@pytest.mark.parametrize("path", ["/runs", "/runs?limit=1", "/batches", "/prompts", "/subcategories"])
def test_lists_have_etags_too(call: Caller, path: str) -> None:
    run = RunFactory()
    Batch.objects.create(name="May")
    first = call("GET", path)
    assert first["Cache-Control"] == "private, no-cache"
    assert again(call, path, f'W/{first["ETag"]}, "x"').status_code == 304
    assert again(call, path, '"x"').status_code == 200
    Run.objects.filter(pk=run.pk).update(title="Other")
    assert again(call, path, first["ETag"]).status_code == (200 if "/runs" in path else 304)


def test_another_name_of_the_house_is_another_version(call: Caller, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    path = f"/runs/{RunFactory().pk}"
    etag = call.get(path)["ETag"]
    assert call("GET", path, If_None_Match=etag, Host="elsewhere.example").status_code == 200


def test_every_answer_tells_what_is_left(call: Caller, settings: Settings) -> None:
    settings.API_CALLS_PER_MINUTE = 2
    left: list[tuple[int, str]] = []
    for _ in range(3):
        response = call.get("/runs/7" if len(left) == 1 else "/runs")
        left.append((response.status_code, response.get("RateLimit", "").rpartition(";t=")[0]))
    assert left[0] == (200, '"key";r=1')
    assert left[2] == (200, '"key";r=0'), "an address that there is not costs nothing"
    refused = call.get("/runs")
    assert (refused.status_code, refused["RateLimit-Policy"]) == (429, '"key";q=2;w=60')
    assert refused["RateLimit"].endswith(f";t={refused['Retry-After']}")
    settings.API_CALLS_PER_MINUTE = 0
    assert "RateLimit" not in call.get("/runs")


def test_the_same_batch_by_its_key_is_made_once(call: Caller) -> None:
    body = {"name": "May", "runs": [ITEM, {"flow": "novel"}, ITEM]}
    first = call("POST", "/runs/batch", body, Idempotency_Key="b")
    second = call("POST", "/runs/batch", body, Idempotency_Key="b")
    assert (first.status_code, first.json()) == (202, second.json())
    assert (Batch.objects.count(), Run.objects.count()) == (1, 2)
    assert [bad["index"] for bad in second.json()["errors"]] == [1]
    assert call("POST", "/runs/batch", {**body, "name": "June"}, Idempotency_Key="b").status_code == 409
    assert call("POST", "/runs", ITEM, Idempotency_Key="b").status_code == 409
    assert call("POST", "/runs/batch", {"runs": []}, Idempotency_Key="c").status_code == 422
    assert not IdempotencyKey.objects.filter(key="c").exists(), "what was refused may be mended and sent again"


def test_a_key_is_forgotten_after_its_time(call: Caller, settings: Settings) -> None:
    first = call("POST", "/runs", ITEM, Idempotency_Key="a").json()
    assert idempotency.forget_old() == 0
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert idempotency.forget_old() == 1
    assert call("POST", "/runs", ITEM, Idempotency_Key="a").json()["id"] != first["id"]


@pytest.mark.parametrize(
    ("said", "lasts"),
    [("90d", timedelta(days=90)), ("12h", timedelta(hours=12)), ("", None), ("2999-01-31", timedelta(days=365))],
)
def test_a_key_may_end(said: str, lasts: timedelta | None) -> None:
    call_command("create_api_key", "ci", expires=said)
    ends = ApiKey.objects.get().expires_at
    assert (ends is None) == (lasts is None)
    if ends and lasts:
        assert ends - timezone.now() > lasts - timedelta(minutes=5)


@pytest.mark.parametrize("said", ["soon", "0d", "2001-01-31", "d", "-1d", "99999999d"])
def test_an_end_that_is_none(said: str) -> None:
    with pytest.raises(CommandError):
        call_command("create_api_key", "ci", expires=said)
    assert not ApiKey.objects.exists()


def test_an_end_that_is_past_is_refused() -> None:
    with pytest.raises(BadInput, match="past"):
        make_key("ci", expires_at=timezone.now() - timedelta(seconds=1))
