"""HEAD: what GET answers, without its body; nothing is made or streamed for it."""

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from config.asgi import application
from generation.models import Status
from review.exports import jobs, sending
from review.exports.wanted import Wanted
from review.tasks import write_exports
from tests.callers import Caller
from tests.config.test_api_access import OPERATIONS, address
from tests.factories import DraftFactory, RunFactory
from tests.streams import SECONDS, serving

READS = sorted(path for method, path, _scope in OPERATIONS if method == "GET")
OTHERS = sorted({path for _method, path, _scope in OPERATIONS} - {*READS})


@pytest.mark.django_db
@pytest.mark.parametrize("path", READS)
def test_every_read_has_a_head(path: str) -> None:
    call = Caller()
    read, head = (call(method, address(path)) for method in ("GET", "HEAD"))
    assert head.status_code == read.status_code and head.getvalue() == b""
    kept = {"Content-Type", "Content-Length", "Content-Disposition", "ETag", "Cache-Control"}
    assert {name: head.get(name) for name in kept} == {name: read.get(name) for name in kept}
    assert "HEAD" in call("PATCH", address(path))["Allow"].split(", ")


@pytest.mark.django_db
@pytest.mark.parametrize("path", OTHERS)
def test_no_other_call_has(path: str) -> None:
    refused = Caller()("HEAD", address(path))
    assert refused.status_code == 405 and "HEAD" not in refused["Allow"]


@pytest.mark.django_db
def test_what_the_caller_has_is_not_told_again() -> None:
    call, path = Caller("read"), f"/runs/{DraftFactory().run.pk}"
    head = call("HEAD", path)
    assert (head.status_code, head["ETag"]) == (200, call.get(path)["ETag"])
    assert call("HEAD", path, If_None_Match=head["ETag"]).status_code == 304


@pytest.fixture
def server(settings: Settings, tmp_path: Path) -> Iterator[int]:
    settings.FOLDBACK_EXPORTS_DIR = tmp_path
    with serving(application) as port:
        yield port


@pytest.mark.django_db(transaction=True)
class TestOverHttp:
    def head(self, port: int, path: str) -> http.client.HTTPResponse:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as caller:
            headers = {"Authorization": f"Bearer {Caller('read').secret}"}
            caller.request("HEAD", f"/api/v1{path}", headers=headers)
            answer = caller.getresponse()
            assert answer.read() == b""
            caller.request("GET", "/api/v1/runs", headers=headers)  # the connection holds
            assert caller.getresponse().status == 200
        return answer

    def test_an_open_run_is_not_followed(self, server: int) -> None:
        answer = self.head(server, f"/runs/{RunFactory(status=Status.GENERATING).pk}/events")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")

    def test_no_export_is_made(self, server: int, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[Any] = []

        def portions(wanted: Wanted) -> Iterator[Any]:
            made.append(wanted)
            yield from ()

        monkeypatch.setattr(sending, "portions", portions)
        answer = self.head(server, "/exports/reviews.csv")
        assert (answer.status, answer.headers["Content-Disposition"], made) == (
            200, 'attachment; filename="reviews.csv"', [],
        )  # fmt: skip

    def test_a_file_tells_its_length_and_version(self, server: int) -> None:
        export = jobs.start(Wanted("reviews", "csv"))
        write_exports()
        export.refresh_from_db()
        answer = self.head(server, f"/exports/{export.pk}/file")
        told = {name: answer.headers[name] for name in ("Content-Length", "ETag", "Accept-Ranges")}
        assert told == {
            "Content-Length": str(export.bytes), "ETag": f'"{export.pk}"', "Accept-Ranges": "bytes",
        }  # fmt: skip
