"""The page of exports: asking, watching, fetching, deleting; what is not right stands where it was asked."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from review.models import Export
from review.tasks import write_exports
from tests import people
from tests.review.exports.lessons import generated, reviewed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.FOLDBACK_EXPORTS_DIR = tmp_path / "exports"
    return tmp_path / "exports"


@pytest.fixture
def boss() -> Client:
    return people.admin()


def test_an_empty_page_says_what_will_be_here(boss: Client) -> None:
    assert "Exports stand here" in boss.get("/exports/").text


def test_from_asking_to_the_file_to_its_end(boss: Client, folder: Path) -> None:
    reviewed(generated())
    asked = boss.post("/exports/", {"kind": "reviews", "format": "csv", "flow": "item", "since": "2020-01-01"})
    assert asked.status_code == 302
    page = boss.get("/exports/").text
    assert "reviews.csv" in page and "queued" in page and 'hx-trigger="every 2s"' in page
    write_exports()
    fragment = boss.get("/exports/", headers={"HX-Request": "true", "HX-Target": "exports"}).text
    assert "<html" not in fragment and "Download" in fragment and "every 2s" not in fragment
    made = Export.objects.get()
    file = boss.get(f"/exports/{made.pk}/file/")
    assert file.getvalue().startswith(b"\xef\xbb\xbfrun,") and "attachment" in file["Content-Disposition"]
    assert boss.post(f"/exports/{made.pk}/delete/", follow=True).status_code == 200
    assert not Export.objects.exists() and list(folder.iterdir()) == []


def test_a_file_that_is_not_there_yet_leads_back(boss: Client) -> None:
    boss.post("/exports/", {"kind": "reviews", "format": "csv"})
    answer = boss.get(f"/exports/{Export.objects.get().pk}/file/", follow=True)
    assert "This export is queued." in answer.text


@pytest.mark.parametrize(
    "wrong", [{"kind": "songs"}, {"format": "xml"}, {"since": "soon"}, {"flow": "poem"}, {"subcategory": "gone"},
              {"kind": "training", "form": "song"}, {"since": "2026-01-02", "until": "2026-01-02"}]
)  # fmt: skip
def test_what_is_not_right_is_told_and_what_was_chosen_stays(boss: Client, wrong: dict[str, str]) -> None:
    answer = boss.post("/exports/", {"kind": "judgements", "format": "parquet"} | wrong)
    assert answer.status_code == 422 and 'role="alert"' in answer.text and not Export.objects.exists()
    if "format" not in wrong:
        assert '<option value="parquet" selected>' in answer.text


def test_a_form_is_only_a_training_set_s(boss: Client) -> None:
    assert boss.post("/exports/", {"kind": "reviews", "format": "csv", "form": "chat"}).status_code == 302


def test_one_that_failed_says_why(boss: Client) -> None:
    Export.objects.create(wanted={"kind": "reviews", "format": "csv"}, state="failed", error="no_space")
    assert "the disk is full" in boss.get("/exports/").text


def test_the_queue_and_admin_lead_there(boss: Client) -> None:
    assert 'href="/exports/"' in boss.get("/admin/").text
    assert 'href="/exports/"' not in people.reviewer().get("/queue/").text
