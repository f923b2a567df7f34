"""Exports over REST: streams over real HTTP, the worker's files, and what is refused."""

import csv
import http.client
import io
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from config.api import api
from config.asgi import application
from generation.models import Run
from review.exports import chunks, reviews, sending, stream
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.models import Export
from review.tasks import write_exports
from tests.callers import Caller, pointers
from tests.factories import UserFactory
from tests.review.exports.lessons import RECORD, generated, reviewed
from tests.streams import SECONDS, serving

NOWHERE = "01a2032a-ff45-7ae0-a4fc-111561810626"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.FOLDBACK_EXPORTS_DIR = tmp_path / "exports"
    return tmp_path / "exports"


@pytest.fixture
def server() -> Iterator[int]:
    with serving(application) as port:
        yield port


def fetched(port: int, path: str, secret: str) -> tuple[http.client.HTTPResponse, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as caller:
        caller.request("GET", f"/api/v1{path}", headers={"Authorization": f"Bearer {secret}"})
        answer = caller.getresponse()
        return answer, answer.read()


@pytest.mark.django_db(transaction=True)
class TestStreams:
    @pytest.mark.parametrize("kind", ["reviews", "training", "judgements"])
    def test_in_every_format(self, server: int, kind: str) -> None:
        for _ in range(3):
            reviewed(generated())
        secret = Caller("read").secret
        counts = {}
        for name in ("jsonl", "csv", "parquet"):
            answer, data = fetched(server, f"/exports/{kind}.{name}", secret)
            assert answer.status == 200 and answer.headers["Content-Disposition"].endswith(f'{kind}.{name}"')
            counts[name] = count(name, data)
        assert counts == {"jsonl": 3, "csv": 3, "parquet": 3}

    def test_the_forms_of_a_training_set(self, server: int) -> None:
        reviewed(generated(), values={"/description": "Mended."})
        secret = Caller("read").secret
        for form, columns in {"chat": {"messages"}, "preference": {"prompt", "chosen", "rejected"}}.items():
            _, data = fetched(server, f"/exports/training.parquet?form={form}", secret)
            table = pq.read_table(io.BytesIO(data))
            assert columns <= set(table.column_names) and table.num_rows == 1
            row = table.to_pylist()[0]
            assert json.loads(row[sorted(columns)[0]][-1]["content"])["name"] == RECORD["name"]

    def test_neither_connection_nor_transaction_is_held_while_it_is_sent(
        self, server: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chunks, "MOST", 1)
        for _ in range(3):
            reviewed(generated(source={"title": "x", "text": "y" * 3_000_000}))
        with closing(http.client.HTTPConnection("127.0.0.1", server, timeout=SECONDS)) as caller:
            caller.request(
                "GET",
                "/api/v1/exports/reviews.jsonl",
                headers={"Authorization": f"Bearer {Caller('read').secret}"},
            )
            answer = caller.getresponse()
            begun = answer.read(10)  # the rest of the portion fills the socket, and the server waits
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%%'"
                )
                assert cursor.fetchone() == (0,)
            assert fetched(server, "/runs?limit=1", Caller("read").secret)[0].status == 200
            assert count("jsonl", begun + answer.read()) == 3

    def test_a_stream_that_breaks_is_not_taken_for_whole(
        self, server: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = stream.portions

        def broken(wanted: Wanted) -> Iterator[Any]:
            for number, portion in enumerate(whole(wanted)):
                if number == 2:
                    raise ValueError
                yield portion

        monkeypatch.setattr(sending, "portions", broken)
        reviewed(generated())
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            fetched(server, "/exports/reviews.csv", Caller("read").secret)


def count(name: str, data: bytes) -> int:
    if name == "parquet":
        return int(pq.read_table(io.BytesIO(data)).num_rows)
    if name == "csv":
        return len(list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))))
    return len([json.loads(line) for line in data.splitlines()])


@pytest.mark.django_db(transaction=True)
def test_what_is_made_or_changed_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each portion is of one moment; runs that were there from beginning to end are there once."""
    monkeypatch.setattr(chunks, "MOST", 2)
    runs = [reviewed(generated()) for _ in range(6)]
    lines: list[dict[str, Any]] = []
    for number, portion in enumerate(portions(Wanted("reviews"))):
        lines += [json.loads(line) for line in portion.data.decode().splitlines()]
        if number == 1:
            reviewed(generated())
            Run.objects.filter(pk=runs[0].pk).update(title="too late")
            Run.objects.filter(pk=runs[5].pk).update(title="in time")
    assert [line["run"] for line in lines] == [str(run.pk) for run in runs]
    assert (lines[0]["title"], lines[5]["title"]) == (runs[0].title, "in time")


@pytest.mark.django_db(transaction=True)
def test_a_portion_is_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A review that is written between two of a portion's queries is in neither of them."""
    run = reviewed(generated())
    whole = reviews._judgements

    def change() -> None:
        Run.objects.update(title="changed")
        connection.close()

    def meanwhile(ids: Any) -> Any:
        other = threading.Thread(target=change)
        other.start()
        other.join(SECONDS)
        assert list(Run.objects.filter(pk__in=ids).values_list("title", flat=True)) == [run.title]
        return whole(ids)

    monkeypatch.setattr(reviews, "_judgements", meanwhile)
    assert sum(portion.rows for portion in portions(Wanted("reviews"))) == 1


@pytest.mark.django_db
class TestJobs:
    def test_from_the_request_to_the_file(self) -> None:
        reviewed(generated())
        call = Caller("read")
        made = call("POST", "/exports", {"kind": "training", "format": "csv", "form": "chat", "flow": "item"})
        assert made.status_code == 202 and made["Location"] == made.json()["url"]
        job = made.json()
        assert (job["state"], job["form"], job["filters"], job["file_url"]) == (
            "queued", "chat", {"flow": "item"}, None,
        )  # fmt: skip
        assert call.get(f"/exports/{job['id']}/file").status_code == 409
        write_exports()
        done = call.get(f"/exports/{job['id']}").json()
        assert (done["state"], done["rows"], done["total"], done["looked_at"]) == ("done", 2, 1, 1)
        answer = call.client.get(done["file_url"])
        data = answer.getvalue()
        assert int(answer["Content-Length"]) == len(data) == done["bytes"] and count("csv", data) == 2
        assert answer["Content-Type"] == "text/csv; charset=utf-8"

    @pytest.mark.parametrize(
        ("body", "pointer"),
        [
            ({"kind": "songs"}, "/kind"), ({"kind": "reviews", "format": "xml"}, "/format"), ({}, "/kind"),
            ({"kind": "reviews", "form": "chat"}, "/form"), ({"kind": "reviews", "flow": "poem"}, "/flow"),
            ({"kind": "reviews", "subcategory": "gone"}, "/subcategory"),
            ({"kind": "reviews", "batch": NOWHERE}, "/batch"),
            ({"kind": "reviews", "since": "2026-01-02", "until": "2026-01-01"}, "/until"),
            ({"kind": "reviews", "extra": 1}, "/extra"),
            ({"kind": "reviews", "form": "nope"}, "/form"), ({"kind": "training", "form": "nope"}, "/form"),
            ({"kind": "reviews", "since": 1700000000}, "/since"), ({"kind": "reviews", "until": 1.5}, "/until"),
            ({"kind": "reviews", "since": "1700000000"}, "/since"), ({"kind": "reviews", "since": True}, "/since"),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, body: dict[str, Any], pointer: str) -> None:
        refused = Caller("read")("POST", "/exports", body)
        assert refused.status_code == 422 and pointers(refused) == [pointer]
        assert not Export.objects.exists()

    def test_all_that_is_wrong_is_told(self) -> None:
        body = {"kind": "judgements", "form": "chat", "flow": "poem", "subcategory": "gone", "batch": NOWHERE}
        refused = Caller("read")("POST", "/exports", body)
        assert pointers(refused) == ["/form", "/flow", "/subcategory", "/batch"]
        assert refused.json()["errors"][0]["detail"] == "Only of the kind `training`."

    def test_times_are_told_as_everywhere(self) -> None:
        reviewed(generated())
        call = Caller("read")
        body = {"kind": "reviews", "since": "2020-05-04T12:00:00+02:00", "until": "2999-01-01"}
        told = {"since": "2020-05-04T10:00:00Z", "until": "2999-01-01T00:00:00Z"}
        made = call("POST", "/exports", body).json()
        assert made["filters"] == call.get(f"/exports/{made['id']}").json()["filters"] == told
        for kind, name in (("training", "approved_at"), ("judgements", "reviewed_at")):
            data = b"".join(call.get(f"/exports/{kind}.jsonl").streaming_content)
            at = json.loads(data.splitlines()[0])[name]
            assert at.endswith("Z") and datetime.fromisoformat(at)
            assert at.encode() in b"".join(call.get(f"/exports/{kind}.csv").streaming_content)

    @pytest.mark.parametrize("query", ["flow=poem", "subcategory=gone", f"batch={NOWHERE}", "since=never"])
    @pytest.mark.parametrize("kind", ["reviews", "training", "judgements"])
    def test_a_stream_refuses_the_same(self, kind: str, query: str) -> None:
        refused = Caller("read").client.get(f"/api/v1/exports/{kind}.csv?{query}")
        assert refused.status_code == 422 and pointers(refused) == ["/" + query.split("=")[0]]
        assert Caller("read").get(f"/exports/{kind}.xml").status_code == 422

    def test_too_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("review.exports.jobs.MOST_OPEN", 0)
        assert Caller("read")("POST", "/exports", {"kind": "reviews"}).status_code == 409

    def test_a_file_that_is_not_here(self, folder: Path) -> None:
        call = Caller("read")
        job = call("POST", "/exports", {"kind": "reviews"}).json()
        write_exports()
        for file in folder.iterdir():
            file.unlink()
        assert call.get(f"/exports/{job['id']}/file").status_code == 409

    def test_the_same_key_twice_is_one_export(self) -> None:
        call = Caller("read")
        first = call("POST", "/exports", {"kind": "reviews"}, Idempotency_Key="nightly")
        again = call("POST", "/exports", {"kind": "reviews"}, Idempotency_Key="nightly")
        assert first.json()["id"] == again.json()["id"] and Export.objects.count() == 1
        other = call("POST", "/exports", {"kind": "training"}, Idempotency_Key="nightly")
        assert other.status_code == 409 and Export.objects.count() == 1
        assert call("DELETE", f"/exports/{first.json()['id']}").status_code == 204
        assert call("POST", "/exports", {"kind": "reviews"}, Idempotency_Key="nightly").status_code == 409

    def test_the_list_pages_and_shows_a_person_their_own(self) -> None:
        service, ada, bo = Caller("read"), Caller("read", user=UserFactory()), Caller("read", user=UserFactory())
        made = [one("POST", "/exports", {"kind": "reviews"}).json()["id"] for one in (service, ada, ada, bo)]
        assert [found["id"] for found in ada.get("/exports").json()["items"]] == [made[2], made[1]]
        first = service.get("/exports", limit=3).json()
        rest = service.get("/exports", limit=3, cursor=first["next_cursor"]).json()
        assert [found["id"] for found in first["items"] + rest["items"]] == made[::-1] and not rest["next_cursor"]

    def test_deleting_is_for_who_asked_for_it(self, folder: Path) -> None:
        service, ada = Caller("read"), Caller("read", user=UserFactory())
        job = ada("POST", "/exports", {"kind": "reviews"}).json()["id"]
        write_exports()
        assert [service("DELETE", f"/exports/{job}").status_code, len(list(folder.iterdir()))] == [404, 1]
        assert service.get(f"/exports/{job}").status_code == 200
        assert [ada("DELETE", f"/exports/{job}").status_code, len(list(folder.iterdir()))] == [204, 0]
        assert ada("DELETE", f"/exports/{job}").status_code == 404

    @pytest.mark.parametrize(
        ("asked", "part"),
        [
            ("bytes=0-3", (0, 4)), ("bytes=2-", (2, None)), ("bytes=-5", (-5, None)),
            ("bytes=0-999999", (0, None)), ("bytes=-999999", (0, None)), ("bytes=3-3", (3, 4)),
        ],
    )  # fmt: skip
    def test_a_range_of_the_file(self, asked: str, part: tuple[int, int | None]) -> None:
        call, url, whole = self.written()
        answer = call.client.get(url, headers={"Range": asked})
        data = answer.getvalue()
        begin = part[0] if part[0] >= 0 else len(whole) + part[0]
        assert (answer.status_code, data) == (206, whole[part[0] : part[1]])
        assert answer["Content-Range"] == f"bytes {begin}-{begin + len(data) - 1}/{len(whole)}"
        assert int(answer["Content-Length"]) == len(data)

    @pytest.mark.parametrize(
        ("asked", "status"),
        [
            ("bytes=0-1,3-4", 200), ("lines=0-1", 200), ("bytes=5-2", 200), ("bytes=-", 200), ("bytes=a-", 200),
            ("bytes=999999-", 416), ("bytes=-0", 416),
        ],
    )  # fmt: skip
    def test_a_range_that_is_none(self, asked: str, status: int) -> None:
        call, url, whole = self.written()
        answer = call.client.get(url, headers={"Range": asked})
        assert answer.status_code == status
        if status == 416:
            assert answer["Content-Range"] == f"bytes */{len(whole)}"
        else:
            assert answer.getvalue() == whole

    def test_a_broken_transfer_goes_on_only_with_the_same_file(self) -> None:
        call, url, whole = self.written()
        etag = call.client.get(url)["ETag"]
        same = call.client.get(url, headers={"Range": "bytes=10-", "If-Range": etag})
        assert (same.status_code, same.getvalue()) == (206, whole[10:])
        other = call.client.get(url, headers={"Range": "bytes=10-", "If-Range": '"another"'})
        assert (other.status_code, other.getvalue()) == (200, whole)

    def test_a_file_that_the_caller_has_is_not_sent_again(self) -> None:
        call, url, whole = self.written()
        etag = call.client.get(url)["ETag"]
        for headers in ({}, {"Range": "bytes=10-"}, {"Range": "bytes=999999-"}):
            unchanged = call.client.get(url, headers={"If-None-Match": f'"x", {etag}', **headers})
            assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", etag)
        other = call.client.get(url, headers={"If-None-Match": '"x"', "Range": "bytes=10-"})
        assert (other.status_code, other.getvalue()) == (206, whole[10:])

    def test_the_document_tells_of_the_files_version(self) -> None:
        told = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]["/api/v1/exports/{export_id}/file"]["get"]
        assert {found["name"] for found in told["parameters"]} == {"export_id", "Range", "If-None-Match"}
        assert all("ETag" in told["responses"][status]["headers"] for status in (200, 206, 304))

    def written(self) -> tuple[Caller, str, bytes]:
        reviewed(generated())
        call = Caller("read")
        job = call("POST", "/exports", {"kind": "reviews"}).json()
        write_exports()
        url = call.get(f"/exports/{job['id']}").json()["file_url"]
        return call, url, call.client.get(url).getvalue()
