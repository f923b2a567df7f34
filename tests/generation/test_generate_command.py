"""`manage.py generate`: one run from a file, watched to its end."""

import _thread
import io
import json
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from generation import pipeline, waiting
from generation.models import Run
from generation.providers.base import ProviderError, Request
from generation.tasks import sweep
from tests.factories import SubcategoryFactory
from tests.generation.scripted import Scripted, record


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "source.json"
    path.write_text('{"title": "Makita DHP484"}', encoding="utf-8")
    return str(path)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(err: io.StringIO) -> list[str]:
    """The lines, without their lengths and their columns."""
    lines = [" ".join(re.sub(r"\d+ ms|\d+\.\d s", "# ms", line).split()) for line in err.getvalue().split("\n")]
    return [line for line in lines if line]


def generate(source: str, err: io.StringIO, **given: object) -> Mapping[str, Any]:
    out = io.StringIO()
    call_command("generate", flow="item", source=source, wait=True, stdout=out, stderr=err, no_color=True, **given)
    return dict(json.loads(out.getvalue()))


@pytest.mark.django_db(transaction=True)
def test_wait_shows_the_stages_and_prints_the_run(
    scripted: Scripted, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "8123")
    SubcategoryFactory(slug="drills")
    scripted.play(supervisor=["FAIL: no", "PASS"])
    err = io.StringIO()
    printed = generate(source, err, subcategory="drills")
    assert (printed["status"], printed["judge_outcome"]) == ("awaiting_review", "corrected")
    assert printed["output"]["name"] == "Makita DHP484" and len(printed["judgements"]) == 2
    assert printed["web_url"] == f"http://localhost:8123/runs/{printed['id']}/"
    assert shown(err) == [
        "✓ extraction # ms, 100 tokens in, 10 out",
        "↩ supervisor [REVIEW 1] # ms, 100 tokens in, 10 out, failed it",
        "✓ extraction [FIX 2] # ms, 100 tokens in, 10 out",
        "✓ supervisor [REVIEW 2] # ms, 100 tokens in, 10 out, passed",
    ]


@pytest.mark.django_db(transaction=True)
def test_a_failed_run_is_printed_and_told_by_the_exit_code(scripted: Scripted, source: str) -> None:
    scripted.play(extraction="no")
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("generate", flow="item", source=source, wait=True, stdout=out, stderr=io.StringIO())
    assert left.value.code == 1 and json.loads(out.getvalue())["error"]["code"] == "malformed_answer"


@pytest.mark.django_db(transaction=True)
def test_on_a_terminal_the_newest_line_is_drawn_in_place(
    scripted: Scripted, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LOOK_EVERY", 0.01)
    monkeypatch.setenv("COLUMNS", "30")
    err = Terminal()

    def drawn_often(request: Request) -> None:
        over = time.monotonic() + 60
        while err.getvalue().count(f"→ {request.stage}") < 3 and time.monotonic() < over:
            time.sleep(0.01)

    scripted.before = drawn_often
    SubcategoryFactory(slug="drills")
    generate(source, err, subcategory="drills")
    lines = err.getvalue().split("\n")
    assert [bool(re.search(r"✓ (extraction|supervisor)", line)) for line in lines] == [True, True, False]
    drawn = lines[0].split("\r\x1b[K")
    assert sum("→ extraction" in text for text in drawn) > 2 and drawn[-1].startswith("✓ extraction")
    assert all(len(text) < 30 for text in drawn if text.startswith("→"))
    assert lines[2] == "\r\x1b[K", "nothing half is left behind"


@pytest.mark.django_db(transaction=True)
def test_a_wait_says_why_and_until_when(scripted: Scripted, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "FIRST_WAIT", 1.2)
    SubcategoryFactory(slug="drills")
    scripted.play(extraction=[ProviderError("overloaded", "HTTP 529", retryable=True), record()])
    err = io.StringIO()
    assert generate(source, err, subcategory="drills")["status"] == "awaiting_review"
    assert shown(err) == [
        "✗ extraction # ms, The provider is overloaded",
        "… wait The provider is overloaded, again in # ms",
        "✓ extraction # ms, 100 tokens in, 10 out",
        "✓ supervisor [REVIEW 1] # ms, 100 tokens in, 10 out, passed",
    ]


@pytest.mark.django_db(transaction=True)
def test_ctrl_c_leaves_the_run_to_a_worker_and_says_how_to_follow_it(scripted: Scripted, source: str) -> None:
    asked, may = threading.Event(), threading.Event()

    def interrupts(request: Request) -> None:
        asked.set()
        _thread.interrupt_main()
        may.wait(60)

    SubcategoryFactory(slug="drills")
    scripted.before = interrupts
    err = io.StringIO()
    with pytest.raises(SystemExit) as left:
        generate(source, err, subcategory="drills")
    run = Run.objects.get()
    assert left.value.code == 130 and asked.is_set()
    assert f"/runs/{run.pk}/\n" in err.getvalue() and f"GET /api/v1/runs/{run.pk}/events" in err.getvalue()
    assert (run.status, run.lease) == ("generating", None)
    scripted.before = None
    may.set()
    assert sweep() == 1
    wait_for_threads()
    pipeline.generate(run.pk)
    run.refresh_from_db()
    assert run.status == "awaiting_review"


def wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and "_generate" in thread.name:
            thread.join(60)


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
    ("name", "text", "flow", "says"),
    [
        ("source.json", '{"title": "Makita"', "item", "source.json is no JSON: .*line 1 column 19"),
        ("source.json", '["Makita"]', "item", "source.json holds no JSON object"),
        ("source.txt", '\n{"title": "Makita",}', "item", "source.txt is no JSON"),
        ("source.txt", "Chest pain", "question", "source.txt is no JSON: .*; the flow question needs an object"),
    ],
)
def test_broken_json_is_not_taken_for_a_plain_text(
    tmp_path: Path, name: str, text: str, flow: str, says: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=says):
        call_command("generate", flow=flow, source=str(tmp_path / name))
    assert not Run.objects.exists()


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
