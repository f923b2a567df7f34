"""Every error that the document tells of every call is produced here, and has the form that it tells."""

import re
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError
from pytest_django.fixtures import Settings

from config.api import api
from generation import access
from generation.models import SCOPES, Status
from review.exports import jobs
from review.exports.jobs import MOST_OPEN
from review.models import Export
from tests.callers import Caller, statuses
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory

pytestmark = pytest.mark.django_db
NOBODY = uuid.UUID(int=0)
ITEM = {"flow": "item", "source": {"title": "Drill"}}
BODIES: dict[str, Any] = {  # what each call takes, where it must be given something
    "create_run": ITEM,
    "create_batch": {"runs": [ITEM]},
    "create_review": {"decision": "approve"},
    "assign_run": {"person": "ad"},
    "put_subcategory": {"name": "Drills", "category": "Tools"},
    "resolve_prompt": {"flow": "item", "stage": "extraction"},
    "create_export": {"kind": "reviews"},
}
DOCUMENT = api.get_openapi_schema(path_prefix="/api/v1/")
OPERATIONS = {
    found["operationId"]: (method.upper(), path.removeprefix("/api/v1"), found)
    for path, methods in DOCUMENT["paths"].items()
    for method, found in methods.items()
}
ERRORS = [
    (call, int(status))
    for call, (_method, _path, found) in OPERATIONS.items()
    for status in found["responses"]
    if int(status) >= 400
]


def address(path: str, run: Any = NOBODY) -> str:
    path = path.replace("{run_id}", str(run)).replace("{export_id}", str(run)).replace("{batch_id}", str(NOBODY))
    return re.sub(r"\{\w+\}", "7", path)


@pytest.fixture
def person() -> User:
    return User.objects.create_superuser("ad", password="secret")


def ask(caller: Caller, call: str, run: Any = NOBODY, body: Any = None, **headers: str) -> Any:
    method, path, _found = OPERATIONS[call]
    return caller(method, address(path, run), body or BODIES.get(call), **headers)


def no_key(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    caller = Caller()
    caller.client.headers = caller.client.defaults = {}
    return ask(caller, call)


def scope_too_small(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    (scope,) = OPERATIONS[call][2]["security"][0]["ApiKey"]
    return ask(Caller(*(other for other in SCOPES if other != scope)), call)


def unknown(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    return ask(Caller(user=person), call)


def not_allowed(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    """A run that is being made; a service where only a person may; a key that was used for something else."""
    run = DraftFactory(run=RunFactory(status=Status.APPROVED if call == "assign_run" else Status.GENERATING)).run
    if call in ("create_run", "create_batch"):
        caller = Caller()
        ask(caller, call, Idempotency_Key="a")
        other = {"create_run": {**ITEM, "external_id": "b"}, "create_batch": {"runs": [ITEM, ITEM]}}[call]
        return ask(caller, call, body=other, Idempotency_Key="a")
    if call in ("create_export", "get_export_file"):  # too many wait; not written yet
        waiting = [Export.objects.create(wanted={"kind": "reviews"}) for _ in range(MOST_OPEN)]
        return ask(Caller(), call, waiting[0].pk)
    if call in ("claim_run", "release_run", "unassign_run", "leave_review_out"):
        return ask(Caller(), call, run.pk)
    if call == "retry_run":
        return ask(Caller(), call, run.pk)
    if call == "cancel_run":
        return ask(Caller(), call, RunFactory(status=Status.APPROVED).pk)
    if call == "set_run_aside":
        ask(Caller(user=person), call, run.pk)
    return ask(Caller(user=person), call, run.pk)


def too_large(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    return ask(Caller(user=person), call, body={"x": "x" * 200})


def out_of_range(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    done = Export.objects.create(wanted={"kind": "reviews", "format": "jsonl"}, state=Export.State.DONE, bytes=4)
    folder = Path(mkdtemp())
    settings.FOLDBACK_EXPORTS_DIR = folder
    jobs.path(done).write_text("{}\n\n")
    try:
        return ask(Caller(), call, done.pk, Range="bytes=4-")
    finally:
        shutil.rmtree(folder)


def bad_input(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    """A body that is no JSON, else a parameter of the wrong form, else one that there is not."""
    method, path, found = OPERATIONS[call]
    if "requestBody" in found:
        return ask(Caller(user=person), call, body="{")
    if "{slug}" in path and call == "read_subcategory":
        return Caller(user=person)(method, path.replace("{slug}", "a.b"))
    caller, where = Caller(user=person), address(path)
    names = {parameter["name"] for parameter in found["parameters"]}
    if "Last-Event-ID" in names:
        return caller(method, where, Last_Event_ID="soon")
    SubcategoryFactory(slug="7")
    wrong = (("limit", "0"), ("flow", "novel"), ("since", "1"))
    name, value = next((pair for pair in wrong if pair[0] in names), ("limt", "1"))
    return caller(method, f"{where}?{name}={value}")


def too_many(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    settings.API_CALLS_PER_MINUTE = 1
    caller = Caller(user=person)
    ask(caller, call)
    return ask(caller, call)


def broken(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    patch.setattr(access, "_touch", _raising(RuntimeError("the secret of the house in /srv/foldback")))
    return ask(Caller(user=person), call)


def without_database(call: str, person: User, settings: Settings, patch: pytest.MonkeyPatch) -> Any:
    patch.setattr(access, "_touch", _raising(InterfaceError("connection already closed at /srv/foldback")))
    return ask(Caller(user=person), call)


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*args: Any) -> None:
        raise error

    return fail


PRODUCED = {
    401: no_key,
    403: scope_too_small,
    404: unknown,
    409: not_allowed,
    413: too_large,
    416: out_of_range,
    422: bad_input,
    429: too_many,
    500: broken,
    503: without_database,
}


@pytest.mark.parametrize(("call", "status"), ERRORS)
def test_each_documented_error(
    call: str, status: int, person: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = PRODUCED[status](call, person, settings, monkeypatch)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem.keys() == {"type", "title", "status", "detail", "errors"}
    assert problem["status"] == status and problem["detail"]
    assert bool(problem["errors"]) == (status == 422)
    assert not re.search(r"secret|/srv|Traceback|\.py", response.content.decode())
    told = OPERATIONS[call][2]["responses"][status]["headers"]
    limited = {"RateLimit", "RateLimit-Policy"}  # not where nobody's calls were counted
    assert {name for name in told if name in response} >= told.keys() - limited


def test_an_undocumented_answer_would_be_seen() -> None:
    assert 409 not in statuses()["GET", "/api/v1/runs"]
    assert len(ERRORS) > 200
