"""A client that a common generator makes of the published schema drives the whole loop."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.test import Client

from config.asgi import application
from generation.pipeline import generate
from tests.factories import SubcategoryFactory
from tests.streams import serving

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE = {"title": "Nordwind ND 18", "text": "Voltage: 18 V\nLength: 194 mm\nWeight: 1.7 kg"}


class Generated:
    """The package `foldback_client`, and one function per call of its own."""

    def __init__(self, address: str, secret: str) -> None:
        package = importlib.import_module("foldback_client")
        self.models: ModuleType = importlib.import_module("foldback_client.models")
        self._client = package.AuthenticatedClient(base_url=address, token=secret, raise_on_unexpected_status=True)

    def __call__(self, tag: str, call: str, **given: Any) -> Any:
        """Its answer, parsed; a problem is none of the answers that are asked for here."""
        made = importlib.import_module(f"foldback_client.api.{tag}.{call}")
        answer = made.sync(client=self._client, **given)
        assert type(answer).__name__ != "Problem", answer
        return answer

    def problem(self, tag: str, call: str, **given: Any) -> Any:
        answer = importlib.import_module(f"foldback_client.api.{tag}.{call}").sync(client=self._client, **given)
        assert type(answer).__name__ == "Problem", answer
        return answer


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a freshly generated client can be imported from."""
    schema = tmp_path / "openapi.json"
    schema.write_bytes(Client().get("/api/v1/openapi.json").content)
    program = Path(sys.executable).parent / "openapi-python-client"
    where = ("--path", str(schema), "--meta", "none", "--output-path", str(tmp_path / "foldback_client"))
    done = subprocess.run([str(program), "generate", *where], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lost = [line for line in done.stdout.splitlines() if line.startswith("WARNING parsing")]
    assert all("/exports/" in line for line in lost), lost  # a stream of lines is read without its shapes
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "foldback_client"]:
        del sys.modules[name]


def make_key(capsys: pytest.CaptureFixture[str]) -> str:
    call_command("bootstrap")
    capsys.readouterr()
    call_command("create_api_key", "team", user="ada", expires="90d")
    return capsys.readouterr().out.strip()


def test_it_drives_the_whole_loop(generated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SubcategoryFactory(slug="drills")
    secret = make_key(capsys)
    with serving(application) as port:
        call = Generated(f"http://127.0.0.1:{port}", secret)
        body = call.models.RunIn.from_dict({"flow": "item", "subcategory": "drills", "source": SOURCE})
        made = call("runs", "create_run", body=body, idempotency_key="order-1")
        assert call("runs", "create_run", body=body, idempotency_key="order-1").id == made.id
        generate(UUID(str(made.id)))  # what a worker does
        run = call("runs", "read_run", run_id=made.id)
        assert (run.status, run.revision) == ("awaiting_review", 1)
        assert [drafted.content for drafted in call("runs", "list_drafts", run_id=run.id).items] == [run.output]
        assert call("runs", "list_runs", status=call.models.Status.AWAITING_REVIEW).items[0].id == run.id
        assert all(sent.answer for sent in call("runs", "list_calls", run_id=run.id).items)

        claim = call("queue", "claim_run", body=call.models.ClaimIn(flow="item"))
        assert (claim.id, claim.arm, claim.injections) == (run.id, None, None)
        said = {"decision": "reject", "wrong_physical_dimensions": True, "missing_spec": ["charging time"]}
        review = call("reviews", "create_review", run_id=run.id, body=call.models.ReviewIn.from_dict(said))
        assert (review.reviewer, review.decision) == ("ada", "reject")
        assert call("reviews", "list_reviews", run_id=run.id).items[0].id == review.id

        triggers = call("learning", "read_triggers", slug="drills").to_dict()["triggers"]
        assert triggers["wrong_physical_dimensions_trigger"]["fired"]
        wanted = call.models.ResolveIn(
            flow=call.models.ResolveInFlow.ITEM, stage="extraction", subcategory="drills"
        )
        resolved = call("learning", "resolve_prompt", body=wanted)
        assert "charging time" in resolved.user
        fragments = resolved.placeholders.to_dict()["EXTRACTION_REVIEW"]["fragments"]
        assert {number for fragment in fragments for number in fragment["evidence"]} == {review.id}
        late = call.models.ReviewIn.from_dict({"decision": "approve"})
        refused = call.problem("reviews", "create_review", run_id=run.id, body=late)
        assert (refused.status, "rejected" in refused.detail) == (409, True)
        assert json.loads(json.dumps(run.to_dict()))["web_url"].endswith(f"/runs/{run.id}/")
