"""Exports by the worker: progress, the file, deaths half-way, a full disk, too many, and forgetting."""

import csv
import errno
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from generation.errors import BadInput, Conflict
from review.exports import jobs, stream
from review.exports.stream import Portion
from review.exports.wanted import Wanted
from review.models import Export
from review.tasks import forget_exports, write_exports
from tests.factories import SubcategoryFactory
from tests.review.exports.lessons import generated, reviewed

State = Export.State


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.FOLDBACK_EXPORTS_DIR = tmp_path / "exports"
    return tmp_path / "exports"


def now(export: Export) -> Export:
    return Export.objects.get(pk=export.pk)


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.is_dir() else []


@pytest.mark.django_db
class TestWriting:
    def test_it_is_written_with_its_counts(self, folder: Path) -> None:
        for _ in range(3):
            reviewed(generated())
        made = jobs.start(Wanted("reviews", "csv"), api_key="etl")
        assert (made.state, made.share) == (State.QUEUED, 0) and write_exports() == 1
        done = now(made)
        assert (done.state, done.rows, done.looked_at, done.total, done.share) == (State.DONE, 3, 3, 3, 100)
        data = jobs.path(done).read_bytes()
        assert len(data) == done.bytes and len(list(csv.reader(io.StringIO(data.decode())))) == 4
        assert files(folder) == [f"{made.pk}.csv"]
        assert jobs.path(done).stat().st_mode & 0o777 == 0o600 and folder.stat().st_mode & 0o777 == 0o700
        assert done.expires_at and done.finished_at and done.expires_at - done.finished_at == timedelta(days=7)

    def test_what_was_left_out_is_told(self) -> None:
        reviewed(generated())
        made = jobs.start(Wanted("training", form="preference"))
        write_exports()
        assert now(made).left_out == {"unchanged": 1} and now(made).rows == 0

    @pytest.mark.parametrize(
        "wanted",
        [
            Wanted("nothing"), Wanted("reviews", "xml"), Wanted("reviews", form="chat"),
            Wanted("training", form="song"), Wanted("reviews", flow="poem"), Wanted("reviews", subcategory="gone"),
        ],
    )  # fmt: skip
    def test_what_there_is_not_is_refused(self, wanted: Wanted) -> None:
        with pytest.raises(BadInput):
            jobs.start(wanted)

    def test_what_is_wanted_survives_being_stored(self) -> None:
        made = SubcategoryFactory()
        reviewed_at = reviewed(generated(subcategory=made)).last_reviewed_at
        wanted = Wanted("training", "parquet", "chat", "item", made.slug, None, reviewed_at)
        assert Wanted.from_json(jobs.start(wanted).wanted) == wanted

    def test_not_more_than_so_many_wait(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "MOST_OPEN", 1)
        jobs.start(Wanted("reviews"))
        with pytest.raises(Conflict):
            jobs.start(Wanted("reviews"))

    def test_only_so_many_are_written_at_once(self) -> None:
        for _ in range(3):
            jobs.start(Wanted("reviews"))
        assert jobs._take() and jobs._take()
        assert jobs._take() is None and write_exports() == 0
        Export.objects.update(lease_expires_at=Now())
        assert write_exports() == 3


@pytest.mark.django_db
class TestFailing:
    def broken(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> Export:
        def parts(wanted: Wanted) -> Iterator[Portion]:
            yield Portion(b"begun")
            raise error

        monkeypatch.setattr(jobs, "portions", parts)
        made = jobs.start(Wanted("reviews"))
        write_exports()
        return now(made)

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (OSError(errno.ENOSPC, "full"), "no_space"), (OSError(errno.EIO, "broken"), "not_writable"),
            (ValueError("?"), "internal_error"),
        ],
    )  # fmt: skip
    def test_it_says_why_and_leaves_no_file(
        self, monkeypatch: pytest.MonkeyPatch, folder: Path, error: Exception, code: str
    ) -> None:
        failed = self.broken(monkeypatch, error)
        assert (failed.state, failed.error) == (State.FAILED, code) and files(folder) == []

    def test_a_database_that_was_away_is_no_failure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        interrupted = self.broken(monkeypatch, OperationalError("away"))
        assert interrupted.state == State.RUNNING
        monkeypatch.undo()
        Export.objects.update(lease_expires_at=Now())
        assert write_exports() == 1 and now(interrupted).state == State.DONE

    def test_a_folder_that_cannot_be_made(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        settings.FOLDBACK_EXPORTS_DIR = tmp_path / "file" / "exports"
        made = jobs.start(Wanted("reviews"))
        write_exports()
        assert now(made).error == "not_writable"

    def test_the_fourth_worker_to_die_is_the_last(self) -> None:
        made = jobs.start(Wanted("reviews"))
        for _ in range(3):
            assert jobs._take()
            Export.objects.update(lease_expires_at=Now())
        write_exports()
        assert (now(made).state, now(made).error) == (State.FAILED, "gave_up")

    def test_one_that_was_deleted_meanwhile_stops(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        made = jobs.start(Wanted("reviews"))

        def parts(wanted: Wanted) -> Iterator[Portion]:
            yield Portion(b"begun")
            jobs.delete(made.pk)
            yield Portion(b"more")

        monkeypatch.setattr(jobs, "portions", parts)
        write_exports()
        assert not Export.objects.exists() and files(folder) == []


@pytest.mark.django_db
def test_old_ones_are_forgotten_with_their_files(folder: Path, settings: Settings) -> None:
    settings.FOLDBACK_KEEP_EXPORTS_DAYS = 3
    old, new, running = (jobs.start(Wanted("reviews")) for _ in range(3))
    write_exports()
    Export.objects.filter(pk=old.pk).update(finished_at=Now() - timedelta(days=3, seconds=1))
    Export.objects.filter(pk=new.pk).update(finished_at=Now() - timedelta(days=2, hours=23))
    Export.objects.filter(pk=running.pk).update(state=State.RUNNING, lease=running.pk, finished_at=None)
    strays = ["stray.csv", f"{new.pk}.{old.pk}.part", f"{running.pk}.{running.pk}.part"]
    for name in strays:
        (folder / name).write_text("")
    assert forget_exports() == 1
    kept = [f"{new.pk}.jsonl", f"{running.pk}.jsonl", f"{running.pk}.{running.pk}.part"]
    assert files(folder) == sorted(kept) and Export.objects.count() == 2


SLOW = """
import time, django
django.setup()
from review.exports import jobs, stream
whole = jobs.portions
def slow(wanted):
    for portion in whole(wanted):
        yield portion
        print("portion", flush=True)
        time.sleep(600)
jobs.portions = slow
jobs.write_all()
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_leaves_it_to_the_next(folder: Path) -> None:
    for _ in range(3):
        reviewed(generated())
    made = jobs.start(Wanted("reviews"))
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path="/" + str(connection.settings_dict["NAME"]))
    environment = {
        **os.environ, "DATABASE_URL": urlunsplit(url), "FOLDBACK_EXPORTS_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }  # fmt: skip
    worker = subprocess.Popen([sys.executable, "-c", SLOW], env=environment, stdout=subprocess.PIPE)
    assert worker.stdout and worker.stdout.readline() == b"portion\n"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    (part,) = files(folder)
    assert part.endswith(".part") and now(made).state == State.RUNNING
    assert write_exports() == 0, "its lease holds"
    Export.objects.update(lease_expires_at=Now())
    assert write_exports() == 1
    done = now(made)
    assert (done.state, done.rows, done.attempts) == (State.DONE, 3, 2)
    forget_exports()
    assert files(folder) == [f"{made.pk}.jsonl"]


@pytest.mark.django_db
def test_progress_is_told_while_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "TELL_SECONDS", 0)
    for _ in range(4):
        reviewed(generated())
    made, seen = jobs.start(Wanted("reviews")), []
    whole = stream.portions

    def watched(wanted: Wanted) -> Iterator[Portion]:
        for portion in whole(wanted):
            yield portion
            seen.append((now(made).looked_at, now(made).share))

    monkeypatch.setattr(jobs, "portions", watched)
    monkeypatch.setattr("review.exports.chunks.FIRST", 2)
    monkeypatch.setattr("review.exports.chunks.MOST", 2)
    write_exports()
    assert (2, 50) in seen
