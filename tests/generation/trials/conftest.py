"""Past runs and a draft version to try on them."""

from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User

from generation import pipeline, prompts
from generation.models import PromptVersion, Run, Subcategory, Trial
from generation.trials import starting
from generation.trials.working import work_on
from tests.factories import SubcategoryFactory, UserFactory
from tests.generation.conftest import new_run
from tests.generation.scripted import Scripted


@pytest.fixture
def subcategory(db: None) -> Subcategory:
    prompts.seed()
    return SubcategoryFactory()


@pytest.fixture
def admin(db: None) -> User:
    return UserFactory(is_staff=True, is_superuser=True)


def past_runs(subcategory: Subcategory, number: int = 1) -> list[Run]:
    """Runs that the pipeline made with the live versions."""
    made = [new_run(subcategory=subcategory.slug) for _ in range(number)]
    for run in made:
        pipeline.generate(run.pk)
        run.refresh_from_db()
    return made


def draft_of(stage: str = "extraction", text: str = "A new wording.") -> PromptVersion:
    live = prompts.live("item", stage)
    return prompts.save_version(live.prompt, system=live.system, user=f"{text}\n{live.user}")


def tried(version: PromptVersion, subcategory: Subcategory, runs: Sequence[Run], by: User) -> Trial:
    """The trial, with one attempt at each of its runs."""
    trial = starting.start(version, subcategory, runs, by)
    go_on(trial)
    return trial


def go_on(trial: Trial) -> None:
    for one in trial.runs.all():
        work_on(one.pk)


__all__ = ["Scripted", "draft_of", "go_on", "past_runs", "tried"]
