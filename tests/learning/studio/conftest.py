"""Past runs that people reviewed, and a draft version of a prompt."""

import pytest
from django.contrib.auth.models import User

from generation.models import Run, Subcategory
from learning import guidance
from review import recording
from tests.factories import UserFactory
from tests.generation.conftest import scripted
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import admin, past_runs, subcategory

__all__ = ["admin", "scripted", "subcategory"]  # fixtures


@pytest.fixture
def reviewed(scripted: Scripted, subcategory: Subcategory) -> list[Run]:
    """Three runs: one approved, one approved with a correction, one sent back; and one that waits."""
    guidance.seed()
    scripted.play(extraction=record(name="Then"))
    runs = past_runs(subcategory, 4)
    person: User = UserFactory(first_name="Rosa", last_name="Stein")
    recording.submit(runs[0].pk, recording.Fields("approve"), reviewer=person)
    corrected = recording.Fields("approve", values={"/name": "Right"})
    recording.submit(runs[1].pk, corrected, reviewer=person)
    sent_back = recording.Fields("reject", wrong_information=True, notes="The name is of another drill.")
    recording.submit(runs[2].pk, sent_back, reviewer=person)
    for run in runs:
        run.refresh_from_db()
    return runs
