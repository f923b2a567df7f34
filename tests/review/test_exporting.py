"""The export: one line per reviewed run, whole, in flat memory."""

import gc
import json
import tracemalloc
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from generation.models import Call, Injection, Judgement, Prompt, PromptVersion, Run
from review import recording
from review.exports import chunks
from review.exports.stream import portions
from review.exports.wanted import Wanted
from review.recording import Fields
from tests.factories import DraftFactory, RunFactory, UserFactory

pytestmark = pytest.mark.django_db


def exported(*args: str) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("export_reviews", *args, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def reviewed(**fields: Any) -> Run:
    run: Run = DraftFactory(run=RunFactory(**fields)).run
    return recording.submit(run.pk, Fields("reject", notes="Maße fehlen"), reviewer=UserFactory()).run


def test_a_line_holds_all_that_belongs_to_the_run() -> None:
    mia = UserFactory(username="mia")
    run = DraftFactory().run
    version = PromptVersion.objects.create(
        prompt=Prompt.objects.create(flow="item", stage="extraction"), number=3, user="<<SOURCE>>"
    )
    for cycle in (1, 2):
        call = Call.objects.create(run=run, stage="extraction", cycle=cycle, prompt_version=version)
    Injection.objects.create(
        call=call, placeholder="EXTRACTION_REVIEW", guidance_key="bad_format.extraction", text="Be strict.",
        reason="bad_format_trigger", evidence=[4, 7],
    )  # fmt: skip
    Judgement.objects.create(
        run=run, draft=run.drafts.get(), round=1, cycle=1, kind="supervisor", outcome="failed"
    )
    event = recording.submit(run.pk, Fields("approve", bad_format=True, missing_spec=["W"]), reviewer=mia).event
    recording.undo(run.pk, mia)
    DraftFactory(run=run, revision=2, content={"name": "newest"})
    Run.objects.update(revision=2)
    (line,) = exported()
    assert line["run"] == str(run.pk) and line["source"] == run.source and line["flow"] == "item"
    assert line["subcategory"] == run.subcategory.slug and line["category"] == run.subcategory.category.name
    assert line["output"] == {"name": "newest"}
    assert line["usage"] == {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
    assert event is not None
    submitted, undone = line["reviews"]
    assert (submitted["id"], submitted["kind"], submitted["decision"]) == (event.pk, "submitted", "approve")
    assert (submitted["reviewer"], submitted["source"], submitted["revision"]) == ("mia", "person", 1)
    assert datetime.fromisoformat(submitted["created_at"]) == event.created_at
    assert (submitted["bad_format"], submitted["missing_spec"]) == (True, ["W"])
    assert submitted["wrong_information"] is None
    assert (undone["kind"], undone["undoes"]) == ("undone", event.pk)
    assert line["prompt_versions"] == [{"stage": "extraction", "round": 1, "version": 3}]
    (injection,) = line["injections"]
    assert (injection["text"], injection["evidence"], injection["stage"]) == ("Be strict.", [4, 7], "extraction")
    (judgement,) = line["judgements"]
    assert (judgement["outcome"], judgement["revision"]) == ("failed", 1)


def test_only_reviewed_runs_of_the_flow() -> None:
    RunFactory()
    item, question = reviewed(), reviewed(flow="question")
    assert {line["run"] for line in exported()} == {str(item.pk), str(question.pk)}
    assert [line["run"] for line in exported("--flow", "item")] == [str(item.pk)]


def test_since() -> None:
    run = reviewed()
    assert run.last_reviewed_at is not None
    assert len(exported("--since", run.last_reviewed_at.isoformat())) == 1
    later = (run.last_reviewed_at + timedelta(microseconds=1)).isoformat()
    assert exported("--since", later) == []
    assert len(exported("--since", f"{timezone.now() - timedelta(days=1):%Y-%m-%d}")) == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--since", "yesterday"], "'yesterday' is no date or time as 2026-01-31"),
        (["--flow", "poem"], "known: change"),
    ],
)
def test_what_is_no_filter_is_refused(args: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        exported(*args)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"--output: .* cannot be written: No such file or directory"):
        call_command("export", "reviews", "--output", str(tmp_path / "gone" / "reviews.jsonl"))


def test_text_stays_readable_and_lines_stay_lines() -> None:
    reviewed(source={"title": "Größe\u2028\n×"})
    line = "".join(portion.data.decode() for portion in portions(Wanted("reviews")))
    assert "Größe" in line and "Maße" in line and line.count("\n") == 1 and line.endswith("\n")


def test_chunks_meet_without_gap_or_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST", 3)
    runs = [str(reviewed().pk) for _ in range(7)]
    assert [line["run"] for line in exported()] == sorted(runs)


def test_queries_and_memory_do_not_grow_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MOST", 10)

    def cost() -> tuple[int, int]:
        gc.collect()  # what earlier tests left is not ours
        tracemalloc.start()
        with CaptureQueriesContext(connection) as captured:
            rows = sum(portion.rows for portion in portions(Wanted("reviews")))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return len(captured) - 6 * (rows // 10), peak

    for _ in range(10):
        reviewed(source={"title": "x", "text": "y" * 20_000})
    cost()  # imports and caches
    (ten, memory) = cost()
    for _ in range(90):
        reviewed(source={"title": "x", "text": "y" * 20_000})
    (hundred, more_memory) = cost()
    assert ten == hundred == 2, "six for each chunk, one for where it ends, and one that finds no more"
    assert more_memory < memory * 2
