"""The demo's agent and its reviewer: mistakes at their rates, guidance that prevents them, fixes that mend."""

from collections import Counter
from pathlib import Path

import pytest

from generation.flows.change.source import render
from generation.intake import parse
from generation.models import Repository, Run
from generation.pipeline import generate
from generation.providers.demo import agent
from generation.providers.demo.change import faults
from generation.runs import create
from learning.demo import change as demo
from tests.factories import SubcategoryFactory

ITEMS = [
    agent.Item(f"work item: a-{n}\ntitle: Limit number {n}\nstatus: open\n\nfile: shop/limit.py\nmost lines: {n}")
    for n in range(400)
]
TOLD = {
    "untested": 'Do these first, then everything else:\n<quote-abc123 of="fields">\n- tests\n</quote-abc123>',
    "debugging": "Follow the repository's conventions.",
    "wrong": "Verify each thing.",
    "wide": "Reviewers found the scope wrong.",
    "stub": "Read further before you change any.",
}


@pytest.mark.parametrize("fault", agent.RATES)
def test_mistakes_fall_at_their_rates_and_guidance_prevents_most(fault: str) -> None:
    plain = sum(fault in agent.mistakes("", item) for item in ITEMS)
    told = sum(fault in agent.mistakes(TOLD[fault], item) for item in ITEMS)
    assert plain == pytest.approx(agent.RATES[fault] * len(ITEMS), rel=0.35)
    assert told < plain * 0.4


def test_guidance_on_one_mistake_prevents_no_other() -> None:
    for fault, text in TOLD.items():
        others = [agent.mistakes("", item) - {fault} for item in ITEMS]
        assert [agent.mistakes(text, item) - {fault} for item in ITEMS] == others


def test_a_word_in_the_work_item_is_no_guidance() -> None:
    source = f"<source>\n{' '.join(TOLD.values())}\n</source>"
    assert [agent.mistakes(source, item) for item in ITEMS] == [agent.mistakes("", item) for item in ITEMS]


@pytest.mark.parametrize("given", ["/etc/passwd.py", "../up.py", "a.txt", ""])
def test_only_python_files_within_the_worktree_are_written(given: str) -> None:
    item = agent.Item(f"title: Do it\nfile: {given}")
    assert str(item.file) == "do_it.py"


def shown(files: str, diff: str) -> str:
    return f"<output>\nx\n</output>\n<files>\n{files}\n</files>\n<diff>\n{diff}\n</diff>"


GOOD = "modified shop/limit.py, +1 -1\nadded tests/test_limit.py, +5 -0\nmodified CHANGELOG.md, +1 -0"


@pytest.mark.parametrize(
    ("files", "diff", "found"),
    [
        (GOOD, "-MOST_LINES = 10\n+MOST_LINES = 7", []),
        (GOOD.replace("added tests/test_limit.py, +5 -0\n", ""), "+MOST_LINES = 7", ["untested"]),
        (GOOD, "+MOST_LINES = 70", ["wrong"]),
        (GOOD, '+MOST_LINES = 7\n+print("DEBUG", MOST_LINES)', ["debugging"]),
        (GOOD, "+# TODO: limit", ["stub"]),
        (f"{GOOD}\nmodified README.md, +3 -3", "+MOST_LINES = 7", ["wide"]),
    ],
)
def test_the_reviewer_tells_each_mistake(files: str, diff: str, found: list[str]) -> None:
    assert list(faults(ITEMS[7].source, shown(files, diff))) == found


def test_rules_fill_the_form_by_what_they_find() -> None:
    source = {
        "bead": {
            "id": "a",
            "title": "Limit",
            "status": "open",
            "description": "file: shop/limit.py\nmost lines: 7",
        }
    }
    files = [
        {"path": path, "change": "added", "added": 1, "removed": 0} for path in ("shop/limit.py", "CHANGELOG.md")
    ]
    fields = demo.review(source, {"files": files, "diff": "+MOST_LINES = 9", "output": ""})
    assert fields.decision == "revise" and fields.missing_spec == ["tests"] and fields.wrong_information
    assert not fields.bad_format and not fields.wrong_physical_dimensions and "shop/limit.py" in render(source)


@pytest.mark.django_db
def test_runs_of_the_demo_pass_and_are_corrected(tmp_path: Path, settings: object) -> None:
    """Eight changes in a real repository, by the shipped program, in its own worktrees."""
    settings.FOLDBACK_PROVIDER = "demo"  # type: ignore[attr-defined]
    Repository.objects.create(name="demo-shop", path=str(demo.make_repository(tmp_path / "shop")))
    SubcategoryFactory(slug="shop-service")
    outcomes: Counter[str] = Counter()
    for item in demo._data()["items"][:8]:
        run: Run = create(parse(demo.body_of(*item)))
        generate(run.id)
        run.refresh_from_db()
        assert run.status == "awaiting_review" and run.drafts.count() == run.revision
        outcomes[run.judge_outcome] += 1
    assert set(outcomes) == {"passed", "corrected"}
    assert run.calls.get(stage="change").provider == "demo" and run.model == "demo-rules"


@pytest.mark.django_db
@pytest.mark.parametrize("source", [{}, {"instructions": "Tidy up the basket."}])
def test_without_a_work_item_it_is_not_judged(settings: object, source: dict[str, str]) -> None:
    settings.FOLDBACK_PROVIDER = "demo"  # type: ignore[attr-defined]
    run = create(parse({"flow": "change", "source": source, "options": {"review": True}}))
    generate(run.id)
    run.refresh_from_db()
    assert (run.status, run.judge_outcome) == ("awaiting_review", "skipped")
    assert run.drafts.get().content["files"]


@pytest.mark.django_db
def test_an_unknown_work_item_gives_a_plausible_change(settings: object) -> None:
    settings.FOLDBACK_PROVIDER = "demo"  # type: ignore[attr-defined]
    bead = {"id": "x-1", "title": "Add a search box", "status": "open"}
    run = create(parse({"flow": "change", "source": {"bead": bead}, "options": {"review": True}}))
    generate(run.id)
    run.refresh_from_db()
    assert run.status == "awaiting_review"
    assert "ADD_A_SEARCH_BOX.py".lower() in str(run.drafts.last().content["files"])  # type: ignore[union-attr]
