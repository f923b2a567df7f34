"""Importing runs: the good lines go in, bad ones are told by number, past reviews come along."""

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from generation import pipeline
from generation.models import Batch, Draft, Run, Status
from review import recording
from review.models import ReviewEvent
from review.recording import Fields
from tests.factories import SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db

OUTPUT = {"name": "Nordhaus AB 18", "dimensions": {"length": {"value": 194, "unit": "mm"}}}
COLD = {"source": {"title": "Nordhaus AB 18-60 Li"}}
WARM = COLD | {"output": OUTPUT}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """Import these lines (objects, or raw bytes); answers (standard output, standard error, exit code)."""

    def load(*lines: Any, **options: Any) -> tuple[str, str, int]:
        path = tmp_path / "runs.jsonl"
        path.write_bytes(b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines))
        out, err = StringIO(), StringIO()
        try:
            call_command("import_runs", str(path), stdout=out, stderr=err, **options)
        except CommandError as error:
            return out.getvalue(), f"{err.getvalue()}{error}", error.returncode
        return out.getvalue(), err.getvalue(), 0

    return load


def test_lines_become_queued_runs_of_one_batch(load: Any) -> None:
    SubcategoryFactory(slug="drills")
    out, err, code = load(COLD, COLD | {"subcategory": "drills", "external_id": "A1", "metadata": {"shop": 3}})
    assert code == 0 and "queued: 2; taken in with their record: 0; past reviews: 0." in out
    assert "100%" in err and "2 lines" in err
    first, second = Run.objects.order_by("external_id")
    assert first.flow == "item" and first.status == Status.QUEUED and first.title == "Nordhaus AB 18-60 Li"
    assert second.subcategory is not None and second.subcategory.slug == "drills"
    assert second.metadata == {"shop": 3}
    assert Batch.objects.get().runs.count() == 2


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (b"{", "not JSON"),
        (WARM | {"output": OUTPUT | {"description": "a\0b"}}, "/output/description: A text may hold neither NUL"),
        (
            WARM | {"reviews": [{"decision": "approve", "subcategory": "a\0"}]},
            "/reviews/0/subcategory: A text may",
        ),
        (COLD | {"metadata": {"x": json.loads("[" * 200 + "]" * 200)}}, "Nested deeper than 100 levels"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[1]", "not a JSON object"),
        (b"17", "not a JSON object"),
        (b'{"source": ' + b"[" * 100_000, "not JSON that can be read"),
        (b'{"source": {"title": "x"}, "metadata": {"n": ' + b"9" * 5000 + b"}}", "not JSON that can be read"),
        (b'{"source": {"title": "x"}, "metadata": {"n": NaN}}', "/metadata/n"),
        (COLD | {"metadata": {"n": 1e300}}, "/metadata/n"),
        (COLD | {"metadata": {"n": "x" * 70_000}}, "/metadata: At most 65536 bytes"),
        (
            WARM | {"output": OUTPUT | {"dimensions": {"length": {"value": 1e99, "unit": "mm"}}}},
            "/output/dimensions",
        ),
        (b'{"source": {"title": "a\\u0000b"}}', "/source/title"),
        ({}, "/source"),
        ({"source": {}}, "/source"),
        ({"source": {"title": "x", "colour": "red"}}, "/source/colour"),
        (COLD | {"status": "approved"}, "/status"),
        (COLD | {"flow": "poem"}, "/flow: unknown flow 'poem'"),
        (COLD | {"subcategory": "unheard-of"}, "/subcategory: unknown subcategory 'unheard-of'"),
        (COLD | {"reviews": [{"decision": "approve"}]}, "/output"),
        (COLD | {"output": {"title": "no item"}}, "/output/name"),
        (COLD | {"output": "text"}, "/output"),
        (WARM | {"reviews": {"decision": "approve"}}, "/reviews"),
        (WARM | {"reviews": [{"decision": "approve"}, {"decision": "good"}]}, "/reviews/1/decision"),
        (WARM | {"reviews": [{"decision": "approve", "stars": 5}]}, "/reviews/0/stars"),
        (WARM | {"reviews": [{"decision": "approve", "at": "2999-01-01T00:00:00Z"}]}, "/reviews/0/at"),
        (WARM | {"reviews": [{"decision": "approve", "at": "2024-01-01T00:00:00"}]}, "/reviews/0/at"),
        (WARM | {"reviews": [{"decision": "approve", "notes": "x" * 4001}]}, "/reviews/0/notes"),
        (WARM | {"reviews": [{"decision": "approve", "missing_spec": ["x" * 81]}]}, "/reviews/0/missing_spec/0"),
        (WARM | {"reviews": [{"decision": "approve", "subcategory": "nowhere"}]}, "unknown subcategory 'nowhere'"),
        (WARM | {"reviews": [{"decision": "approve", "reviewer": " "}]}, "/reviews/0/reviewer"),
    ],
)
def test_a_bad_line_is_told_by_its_number_and_the_rest_goes_in(load: Any, bad: Any, told: str) -> None:
    out, err, code = load(COLD, b"", bad, COLD, WARM)
    assert code == 1
    assert "line 3: " in err and told in err and err.count("line ") == 1
    assert "Lines refused: 1." in err
    assert "queued: 2; taken in with their record: 1; past reviews: 0." in out
    assert Run.objects.count() == 3 and Draft.objects.count() == 1


def test_a_record_that_came_along_awaits_review(load: Any) -> None:
    load(WARM)
    run = Run.objects.get()
    assert (run.status, run.judge_outcome, run.revision) == ("awaiting_review", "skipped", 1)
    draft = run.drafts.get()
    assert (draft.content["name"], draft.made_by) == ("Nordhaus AB 18", "import")
    assert draft.content["dimensions"]["length"] == {"value": 194, "unit": "mm"}


def test_an_imported_run_can_be_sent_back(load: Any) -> None:
    load(WARM | {"reviews": [{"decision": "revise", "bad_format": True}]})
    run = Run.objects.get()
    recording.submit(run.pk, Fields("revise", bad_format=True), reviewer=UserFactory(), revision=1)
    pipeline.generate(run.pk)
    run.refresh_from_db()
    assert (run.round, run.revision >= 2, run.is_up_for_review) == (2, True, True), run.error


def test_a_past_review_loses_no_name_unseen(load: Any) -> None:
    reviews = [{"decision": "revise", "missing_spec": ["weight", {"name": "voltage"}]}]
    out, err, code = load(WARM | {"reviews": reviews})
    assert code == 1 and "/reviews/0/missing_spec/1" in out + err and not Run.objects.exists()


def test_past_reviews_fill_the_window(load: Any) -> None:
    SubcategoryFactory(slug="drills")
    reviews = [
        {"decision": "approve", "at": "2024-03-02T10:00:00+01:00", "reviewer": "tom", "information_present": "ja"},
        {
            "decision": "revise",
            "at": "2024-03-01T10:00:00Z",
            "reviewer": "Mia Koch",
            "bad_format": 1,
            "wrong_information": "maybe",
            "missing_spec": [" Weight ", "weight", None],
            "notes": "Units!\n",
        },
    ]
    out, _err, code = load(WARM | {"subcategory": "drills", "reviews": reviews})
    assert code == 0 and "with their record: 1; past reviews: 2." in out
    run = Run.objects.get()
    revise, approve = ReviewEvent.objects.order_by("sequence")
    assert (revise.round, revise.draft, approve.round, approve.draft) == (1, None, 2, run.drafts.get())
    assert (revise.bad_format, revise.wrong_information, revise.missing_spec) == (True, None, ["Weight"])
    assert (revise.notes, approve.information_present) == ("Units!\n", True)
    assert approve.created_at == datetime(2024, 3, 2, 9, tzinfo=UTC)
    assert (run.status, run.round, run.last_review_event_id) == ("approved", 2, approve.pk)
    assert run.last_reviewed_at == run.changed_at == approve.created_at
    assert run.created_at == revise.created_at
    assert run.latest_review is not None and run.latest_review["reviewer"] == "tom"


def test_the_line_of_the_document_goes_in(load: Any) -> None:
    text = (Path(__file__).parents[2] / "docs" / "learning.md").read_text(encoding="utf-8")
    block = text.split("<!-- imported by tests/review/test_importing.py -->\n```json\n")[1].split("```")[0]
    SubcategoryFactory(slug="cordless-drills")
    out, err, code = load(json.loads(block))
    assert code == 0, err
    assert "with their record: 1; past reviews: 2." in out
    assert list(ReviewEvent.objects.order_by("sequence").values_list("reviewer__username", flat=True)) == [
        "Mia.Koch",
        "Tom",
    ]


@pytest.mark.parametrize(
    ("decisions", "status", "round"),
    [
        (["approve"], "approved", 1),
        (["reject"], "rejected", 1),
        (["revise"], "awaiting_review", 1),
        (["revise", "revise", "reject"], "rejected", 3),
        (["reject", "approve"], "approved", 1),
    ],
)
def test_the_last_decision_stands(load: Any, decisions: list[str], status: str, round: int) -> None:
    load(WARM | {"reviews": [{"decision": decision} for decision in decisions]})
    run = Run.objects.get()
    assert (run.status, run.round) == (status, round)
    assert list(run.review_events.values_list("decision", flat=True)) == decisions


def test_people_of_past_reviews_cannot_sign_in(load: Any) -> None:
    User.objects.create_user("tom", password="known already")
    named = [{"decision": "reject", "reviewer": name} for name in ("tom", "Mia Koch", "Mia Koch")]
    load(WARM | {"reviews": [*named, {"decision": "approve"}]})
    assert set(User.objects.values_list("username", flat=True)) == {"tom", "Mia.Koch", "import"}
    mia = User.objects.get(username="Mia.Koch")
    assert mia.get_full_name() == "Mia Koch" and not mia.has_usable_password()
    assert [group.name for group in mia.groups.all()] == ["reviewer"]


def test_a_corrected_subcategory_comes_along(load: Any) -> None:
    SubcategoryFactory(slug="drills")
    saws = SubcategoryFactory(slug="saws")
    load(WARM | {"subcategory": "drills", "reviews": [{"decision": "approve", "subcategory": "saws"}]})
    assert Run.objects.get().subcategory == saws
    assert ReviewEvent.objects.get().corrections == {"subcategory": {"from": "drills", "to": "saws"}}


def test_many_lines_are_numbered_through(load: Any) -> None:
    lines = [COLD if n % 300 else b"{" for n in range(1, 1201)]
    out, err, _code = load(*lines)
    assert [f"line {n}: " in err for n in (300, 600, 900, 1200)] == [True] * 4
    assert "queued: 1,196;" in out and Run.objects.count() == 1196


def test_an_empty_file(load: Any) -> None:
    assert "queued: 0;" in load()[0]


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(CommandError, match=r"nowhere\.jsonl: No such file"):
        call_command("import_runs", "nowhere.jsonl")


def test_a_flow_that_is_not_there(load: Any) -> None:
    assert load(COLD, flow="poem")[2] == 1
