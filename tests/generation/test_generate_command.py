"""`manage.py generate`: one run from a file, watched to its end."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from generation.models import Run
from tests.factories import SubcategoryFactory
from tests.generation.scripted import Scripted


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "source.json"
    path.write_text('{"title": "Makita DHP484"}', encoding="utf-8")
    return str(path)


@pytest.mark.django_db(transaction=True)
def test_wait_shows_the_stages_and_prints_the_run(
    scripted: Scripted, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "8123")
    SubcategoryFactory(slug="drills")
    scripted.play(supervisor=["FAIL: no", "PASS"])
    out, err = io.StringIO(), io.StringIO()
    call_command(
        "generate",
        flow="item",
        subcategory="drills",
        source=source,
        wait=True,
        stdout=out,
        stderr=err,
        no_color=True,
    )
    printed = json.loads(out.getvalue())
    assert (printed["status"], printed["judge_outcome"]) == ("awaiting_review", "corrected")
    assert printed["output"]["name"] == "Makita DHP484" and len(printed["judgements"]) == 2
    assert printed["web_url"] == f"http://localhost:8123/runs/{printed['id']}/"
    shown = [line.strip() for line in err.getvalue().splitlines() if line.strip()]
    assert shown == [
        "· generating",
        "→ extraction",
        "✓ extraction",
        "· reviewing",
        "→ supervisor [REVIEW 1]",
        "✓ supervisor [REVIEW 1]",
        "· fixing",
        "→ extraction [FIX 2]",
        "✓ extraction [FIX 2]",
        "· reviewing",
        "→ supervisor [REVIEW 2]",
        "✓ supervisor [REVIEW 2]",
        "· awaiting_review",
    ]


@pytest.mark.django_db(transaction=True)
def test_a_failed_run_is_printed_and_told_by_the_exit_code(scripted: Scripted, source: str) -> None:
    scripted.play(extraction="no")
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("generate", flow="item", source=source, wait=True, stdout=out, stderr=io.StringIO())
    assert left.value.code == 1 and json.loads(out.getvalue())["error"]["code"] == "malformed_answer"


@pytest.mark.django_db
def test_without_wait_it_is_queued_with_its_options(scripted: Scripted, source: str) -> None:
    out = io.StringIO()
    call_command(
        "generate", "--flow=item", f"--source={source}", "--no-review", "--review-max-fix-attempts=0", stdout=out
    )
    assert json.loads(out.getvalue())["status"] == "queued"
    assert Run.objects.get().options == {"review": False, "review_max_fix_attempts": 0}


@pytest.mark.django_db
def test_a_plain_text_is_a_source(scripted: Scripted, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("Makita drill, 18 V", encoding="utf-8")
    call_command("generate", flow="item", source=str(tmp_path / "text.txt"), stdout=io.StringIO())
    assert Run.objects.get().source == {"text": "Makita drill, 18 V"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ({"source": "/no/such/file"}, "--source"),
        ({"subcategory": "no-such"}, "/subcategory"),
        ({"review_max_fix_attempts": -1}, "/options/review_max_fix_attempts"),
        ({"developer_prompt": "x"}, "takes neither"),
    ],
)
def test_what_cannot_be_is_told(scripted: Scripted, source: str, extra: dict[str, object], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("generate", **({"flow": "item", "source": source} | extra))
