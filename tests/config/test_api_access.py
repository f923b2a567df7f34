"""Every call: the outsider, the key too small, the unknown, the wrong method."""

import json
import re
import uuid
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from config.api import api
from generation import runs
from generation.models import SCOPES
from tests.callers import Caller
from tests.factories import RunFactory, SubcategoryFactory, UserFactory
from tests.people import an_adjudicator

pytestmark = pytest.mark.django_db
NOBODY = uuid.UUID(int=0)


def operations() -> list[tuple[str, str, str]]:
    """(method, path below /api/v1, scope) of every call that there is."""
    found = []
    for router in api._get_bound_routers():
        for path, view in router.path_operations.items():
            for operation in view.operations:
                (auth,) = operation.auth_callbacks
                found += [(method, path, auth.scope) for method in operation.methods]  # type: ignore[attr-defined]
    return found


def address(path: str) -> str:
    """The path with what there is not in each of its places."""
    path = path.replace("{format}", "csv")
    path = re.sub(r"\{uuidstr:\w+\}", str(NOBODY), path)
    path = re.sub(r"\{intstr:\w+\}|\{int:\w+\}", "7", path)
    return re.sub(r"\{[\w:]+\}", "nowhere", path)


OPERATIONS = operations()


# What a key of each scope may do. A line that moves gives more to keys that are out, or takes it from them.
SCOPE_OF = {
    "read": {
        "GET /runs",
        "GET /runs/{uuid:run_id}",
        "GET /runs/{uuid:run_id}/drafts",
        "GET /runs/{uuid:run_id}/drafts/{int:revision}",
        "GET /runs/{uuid:run_id}/reviews/{int:event_id}",
        "GET /runs/{uuid:run_id}/calls",
        "GET /runs/{uuid:run_id}/events",
        "GET /runs/{uuid:run_id}/reviews",
        "GET /batches",
        "GET /batches/{uuid:batch_id}",
        "GET /prompts",
        "GET /prompts/{flow}/{stage}",
        "GET /prompts/{flow}/{stage}/versions",
        "GET /prompts/{flow}/{stage}/versions/{int:number}",
        "GET /prompts/{flow}/{stage}/moves",
        "GET /subcategories",
        "GET /subcategories/{slug}",
        "GET /subcategories/{slug}/triggers",
        "GET /subcategories/{slug}/stats",
        "GET /exports/reviews.{format}",
        "GET /exports/training.{format}",
        "GET /exports/judgements.{format}",
        "POST /exports",
        "GET /exports",
        "DELETE /exports/{uuid:export_id}",
        "GET /exports/{uuid:export_id}",
        "GET /exports/{uuid:export_id}/file",
        "POST /prompts/resolve",
    },
    "write": {
        "POST /runs",
        "POST /runs/batch",
        "POST /runs/{uuid:run_id}/retry",
        "POST /runs/{uuid:run_id}/cancel",
    },
    "review": {
        "POST /runs/{uuid:run_id}/reviews",
        "POST /runs/{uuid:run_id}/reviews/{int:event_id}/leave-out",
        "POST /runs/{uuid:run_id}/undo",
        "POST /runs/{uuid:run_id}/set-aside",
        "POST /runs/{uuid:run_id}/put-back",
        "PUT /runs/{uuid:run_id}/assignment",
        "DELETE /runs/{uuid:run_id}/assignment",
        "POST /queue/claim",
        "DELETE /queue/claims/{uuid:run_id}",
    },
    "admin": {"PUT /subcategories/{slug}"},
}


def test_each_call_asks_for_its_scope() -> None:
    found: dict[str, set[str]] = {scope: set() for scope in SCOPES}
    for method, path, scope in OPERATIONS:
        found[scope].add(f"{method} {path.replace('uuidstr:', 'uuid:').replace('slug:', '')}")
    assert found == SCOPE_OF


def test_the_calls_of_the_contract_are_there() -> None:
    assert len(OPERATIONS) == 42  # a new one comes with its tests


@pytest.mark.parametrize(("method", "path", "scope"), OPERATIONS)
class TestEveryCall:
    def test_without_a_key(self, method: str, path: str, scope: str) -> None:
        response = Client().generic(method, f"/api/v1{address(path)}")
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == "Bearer"
        assert response["Content-Type"] == "application/problem+json"
        problem = json.loads(response.content)
        assert problem.keys() == {"type", "title", "status", "detail", "errors"}

    def test_with_a_key_that_there_is_not(self, method: str, path: str, scope: str) -> None:
        client = Client(headers={"Authorization": "Bearer fb_nothing"})
        assert client.generic(method, f"/api/v1{address(path)}").status_code == 401

    def test_with_a_scope_too_small(self, method: str, path: str, scope: str) -> None:
        others = [other for other in SCOPES if other != scope]
        response = Caller(*others)(method, address(path))
        assert response.status_code == 403
        assert f"“{scope}”" in response.json()["detail"]

    def test_of_what_there_is_not(self, method: str, path: str, scope: str) -> None:
        if "{uuid" in path:
            body = {"/reviews": {"decision": "approve"}, "/assignment": {"person": "bo"}}
            wanted = next(
                (found for end, found in body.items() if method != "DELETE" and path.endswith(end)), None
            )
            response = Caller(user=an_adjudicator("bo"))(method, address(path), wanted)
            assert response.status_code == 404
            assert response.json()["status"] == 404

    def test_by_a_method_that_it_does_not_take(self, method: str, path: str, scope: str) -> None:
        response = Caller()("PATCH", address(path))
        assert response.status_code == 405
        assert method in response["Allow"]
        assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/nothing", "/runs/7", "/runs/", "/", "/subcategories/a%00/triggers"])
def test_an_address_that_there_is_not(path: str) -> None:
    response = Caller().get(path)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"


def test_a_signed_in_person_is_no_key() -> None:
    client = Client()
    client.force_login(UserFactory(is_superuser=True))
    assert client.get("/api/v1/runs").status_code == 401


def test_too_many_calls(settings: Settings) -> None:
    settings.API_CALLS_PER_MINUTE = 1
    call = Caller()
    assert call.get("/runs").status_code == 200
    response = call.get("/runs")
    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response.json()["status"] == 429


def test_a_body_too_large(settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    response = Caller()("POST", "/runs", {"flow": "x" * 200})
    assert response.status_code == 413
    assert "100" in response.json()["detail"]


def test_what_goes_wrong_inside_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(runs, "retry", broken)
    response = Caller()("POST", f"/runs/{RunFactory().id}/retry")
    assert response.status_code == 500
    assert response["Content-Type"] == "application/problem+json"
    assert "secret" not in response.content.decode()


def test_an_unknown_host_is_told_as_a_problem() -> None:
    response = Client().get("/api/v1/runs", headers={"Host": "elsewhere.example"})
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_the_description_is_open_and_only_read(path: str) -> None:
    assert Client().get(f"/api/v1{path}").status_code == 200
    response = Client(enforce_csrf_checks=True).post(f"/api/v1{path}")
    assert response.status_code == 405
    assert response["Content-Type"] == "application/problem+json"


def test_pages_keep_their_own_errors() -> None:
    SubcategoryFactory()
    assert "problem" not in Client().get("/nothing/").headers.get("Content-Type", "")
