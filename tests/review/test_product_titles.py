"""Product titles as shops write them go all the way: imported, generated, up for review."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from generation import pipeline
from generation.models import Run, Status
from tests.review.product_titles import files, run_lines

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not files(), reason="the ExtractGPT titles are not beside the project"),
]


GENERATED = 120  # of all the titles: generating is what takes the time


def test_titles_end_up_for_review_or_say_why_not(tmp_path: Path) -> None:
    lines = [json.dumps(line) for line in run_lines()]
    lines.insert(1234, '{"source": {"title": ')
    path = tmp_path / "titles.jsonl"
    path.write_text("\n".join(lines))
    err = StringIO()
    with pytest.raises(CommandError, match=r"^Lines refused: 1\.$"):
        call_command("import_runs", str(path), stderr=err)
    assert "line 1235: not JSON" in err.getvalue()
    runs = list(Run.objects.order_by("external_id"))
    assert len(runs) == len(lines) - 1
    for run in runs[:: len(runs) // GENERATED]:
        pipeline.generate(run.pk)
        run.refresh_from_db()
        assert run.status in (Status.AWAITING_REVIEW, Status.NEEDS_HUMAN_REVIEW, Status.FAILED), run.title
        assert run.status == Status.AWAITING_REVIEW or (run.error and run.error["detail"]), run.title
    assert Run.objects.filter(status=Status.AWAITING_REVIEW).count() > GENERATED / 2
