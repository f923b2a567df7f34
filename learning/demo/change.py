"""Demo content of the change flow: a small repository, and work items for it."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.models import User

from generation.flows.change.shown import change_text
from generation.flows.change.source import render
from generation.intake import parse
from generation.models import Category, Repository, Run, Subcategory
from generation.providers.command.git import GitError, git
from generation.providers.demo.change import faults
from generation.runs import create
from learning.demo.rounds import to_the_end
from review.models import Decision
from review.recording import Fields

log = structlog.get_logger(__name__)
NAME, SUBCATEGORY = "demo-shop", "shop-service"
REVIEWED = 4  # of the work items; the rest waits in the queue


@cache
def _data() -> dict[str, Any]:
    return dict(json.loads((Path(__file__).parent / "shop.json").read_text(encoding="utf-8")))


def load(people: list[User]) -> None:
    """The repository, its work items as runs, and the reviews of the first; without git, nothing."""
    try:
        path = make_repository(Path(settings.DATA_DIR) / "demo" / "shop")
    except GitError as error:
        log.warning("demo_repository_missing", error=str(error))
        return
    Repository.objects.get_or_create(name=NAME, defaults={"path": str(path)})
    category, _ = Category.objects.get_or_create(name="Code")
    Subcategory.objects.get_or_create(slug=SUBCATEGORY, defaults={"name": "Shop service", "category": category})
    for number, item in enumerate(_data()["items"]):
        run = create(parse(body_of(*item)))
        if number < REVIEWED:
            _review_to_the_end(run, people[number % len(people)])


def make_repository(path: Path) -> Path:
    """A repository with one commit, the same wherever it is made. Raises GitError."""
    if (path / ".git").exists():
        return path
    shutil.rmtree(path, ignore_errors=True)
    for name, text in _data()["files"].items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    git("init", "--quiet", "--template=", at=path)
    git("add", "--all", at=path)
    git("commit", "--quiet", "--message=First version", at=path)
    return path


def body_of(name: str, title: str, priority: int, description: str) -> dict[str, Any]:
    """The body of `POST /runs` for a work item."""
    bead = {"id": name, "title": title, "status": "open", "priority": priority, "description": description}
    return {
        "flow": "change",
        "subcategory": SUBCATEGORY,
        "source": {"bead": bead, "repository": NAME},
        "metadata": {"demo": True},
        "options": {"review": True},
    }


def _review_to_the_end(run: Run, person: User) -> None:
    """Generate and review by the fixed rules, a second round where they ask for one."""
    to_the_end(run, lambda record, last: review(run.source, record, last_round=last), person)


def review(source: dict[str, Any], record: dict[str, Any], *, last_round: bool = False) -> Fields:
    """The form as the rules fill it: approve what is clean, revise what is not, reject what stays so."""
    found = faults(render(source), change_text(record, []))
    decision = Decision.APPROVE
    if found:
        decision = Decision.REJECT if last_round else Decision.REVISE
    return Fields(
        decision=decision,
        information_present="stub" not in found,
        missing_spec=["tests"] if "untested" in found else [],
        bad_format="debugging" in found,
        wrong_information="wrong" in found,
        wrong_physical_dimensions="wide" in found,
        notes="\n".join(found.values()),
    )
