"""One trace from the request through the worker to the provider, over real processes and real HTTP."""

import json
import re
import signal
import time
import urllib.request
from collections.abc import Iterator

import pytest

from tests.collector import Collector, Span, collector
from tests.config.conftest import Installation
from tests.messages_api import KEY, MessagesApi, message

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
MARKER = "Zwitschermaschine"
RECORD = {
    "name": MARKER,
    "description": None,
    "specifications": [{"name": "voltage", "value": 18, "unit": "V"}],
    "dimensions": {"length": None, "width": None, "height": None, "depth": None, "diameter": None, "weight": None},
    "sources": ["source"],
}


@pytest.fixture
def far_end() -> Iterator[MessagesApi]:
    api = MessagesApi()
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 2,
    }
    api.replies(message(json.dumps(RECORD), usage=usage), message("PASS"))
    api.start()
    yield api
    api.stop()


def test_one_trace_spans_web_worker_and_provider(installation: Installation, far_end: MessagesApi) -> None:
    with collector() as here:
        process = installation.start(
            FOLDBACK_PROVIDER="anthropic",
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=far_end.url,
            **here.environment,
        )
        installation.wait_until_ready(process)
        secret = key_of(installation)
        run_id = made(installation, secret)
        wait_for(here, "generate item")
        searched(installation, secret)
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=300)[0]
        assert process.returncode == 0, told
        assert here.spans, installation.logs()
        check_the_trace(here, run_id)
        check_the_provider(here, far_end)
        check_what_left(here, secret)
        assert "opentelemetry" not in installation.logs()


def check_the_trace(here: Collector, run_id: str) -> None:
    """Each span stands below the one that caused it, from the caller's own to the provider's."""
    ours = {span.id: span for span in here.spans if span.trace == TRACE}
    (asked,) = [span for span in ours.values() if span.name == "POST /api/v1/runs"]
    assert (asked.parent, asked.service, asked.kind) == (CALLER, "foldback-web", 2)
    assert asked.told["http.response.status_code"] == 202
    assert asked.told["foldback.run.id"] == run_id
    (generated,) = [span for span in ours.values() if span.name == "generate item"]
    assert generated.told["foldback.run.id"] == run_id
    assert generated.told["foldback.status"] == "awaiting_review"
    extraction = next(span for span in ours.values() if span.told.get("gen_ai.usage.output_tokens"))
    assert chain(extraction, ours) == [
        "chat claude-sonnet-5-5",
        "stage extraction",
        "generate item",
        "process generation.tasks.generate_run",
        "send generation.tasks.generate_run",
        "POST /api/v1/runs",
    ]
    (judged,) = [span for span in ours.values() if span.name == "judge supervisor"]
    assert judged.told["foldback.outcome"] == "passed"
    assert {span.service for span in ours.values()} == {"foldback-web", "foldback-worker"}
    assert any(span.name == "INSERT" and span.service == "foldback-web" for span in ours.values())


def check_the_provider(here: Collector, far_end: MessagesApi) -> None:
    asked = [span for span in here.spans if span.name.startswith("chat ")]
    first = asked[0].told
    assert (first["gen_ai.operation.name"], first["gen_ai.provider.name"]) == ("chat", "anthropic")
    assert (first["gen_ai.request.model"], first["gen_ai.response.model"]) == ("claude-sonnet-5-5",) * 2
    assert (first["gen_ai.usage.input_tokens"], first["gen_ai.usage.output_tokens"]) == (19, 5)
    assert first["gen_ai.usage.cache_read.input_tokens"] == 7
    came = [dict(received.headers)["traceparent"] for received in far_end.received]
    assert came == [f"00-{TRACE}-{span.id}-01" for span in asked]


def check_what_left(here: Collector, secret: str) -> None:
    """No text of a record, prompt, search or key; and no noise."""
    sent = b"".join(here.bodies)
    for word in (MARKER, MARKER.lower(), secret, KEY, "Datenblatt", "You ", "127.0.0.1", "sessionid"):
        assert word.encode() not in sent, word
    names = {span.name for span in here.spans}
    assert not {name for name in names if re.search("healthz|readyz|metrics|static|sweep|fold", name)}
    roots = [span for span in here.spans if not span.parent]
    assert {span.service for span in roots} <= {"foldback-web"}, roots
    assert all(span.kind == 2 for span in roots), roots


def chain(span: Span, ours: dict[str, Span]) -> list[str]:
    names = [span.name]
    while span.parent in ours:
        span = ours[span.parent]
        names.append(span.name)
    return names


def key_of(installation: Installation) -> str:
    """Of a person who may do everything."""
    with installation.connect() as connection:
        connection.execute(
            "WITH made AS (INSERT INTO generation_category (name) VALUES ('Tools') RETURNING id)"
            " INSERT INTO generation_subcategory (slug, name, category_id) SELECT 'drills', 'Drills', id FROM made"
        )
        found = connection.execute("SELECT username FROM auth_user WHERE is_superuser").fetchone()
    assert found
    return installation.manage("create_api_key", "tracing", f"--user={found[0]}", "--scopes=read,write").strip()


def made(installation: Installation, secret: str) -> str:
    body = {
        "flow": "item",
        "subcategory": "drills",
        "source": {"title": MARKER, "text": "Datenblatt"},
        "metadata": {"note": MARKER},
        "external_id": MARKER,
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{installation.port}/api/v1/runs",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {secret}",
            "Content-Type": "application/json",
            "traceparent": f"00-{TRACE}-{CALLER}-01",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(json.loads(answer.read())["id"])


def searched(installation: Installation, secret: str) -> None:
    """A read that holds a word in its address and in its statements."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{installation.port}/api/v1/runs?external_id={MARKER}",
        headers={"Authorization": f"Bearer {secret}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()


def wait_for(here: Collector, name: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not here.named(name):
        assert time.monotonic() < deadline, f"{name} did not come: {sorted({span.name for span in here.spans})}"
        time.sleep(0.1)
