"""Nothing of a trial is seen by whoever counts runs: queue, windows, statistics and tallies, byte for byte."""

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from generation.models import NodeEvent, Run, Subcategory
from learning.insights import stats
from learning.triggers import decide
from learning.window import window
from review.models import Tally
from tests.callers import Caller
from tests.generation.scripted import Scripted, record
from tests.generation.trials.conftest import draft_of, tried
from tests.generation.trials.test_trials import only_own_tables_change

pytestmark = pytest.mark.django_db


def seen(subcategory: Subcategory, call: Caller) -> dict[str, object]:
    """What pages, callers and the next prompt are told."""
    of = f"/subcategories/{subcategory.slug}"
    tallies = Tally.objects.values_list("flow", "subcategory_id", "day", "what", "change")
    return {
        "window": repr(window("item", subcategory.pk)),
        "triggers": decide(window("item", subcategory.pk)).as_json(),
        "stats": stats("item", subcategory).as_json(),
        "tallies": sorted(map(str, tallies)),
        "queue": list(Run.objects.up_for_review().order_by("priority", "changed_at", "id").values()),
        "progress": NodeEvent.objects.count(),
        **{path: call.get(path).content for path in (f"{of}/triggers", f"{of}/stats", "/subcategories", "/runs")},
    }


@pytest.mark.parametrize("stage", ["extraction", "supervisor", "categorizer"])
def test_a_trial_leaves_no_trace(
    reviewed: list[Run],
    subcategory: Subcategory,
    admin: User,
    scripted: Scripted,
    settings: Settings,
    stage: str,
) -> None:
    settings.PROMPT_RESOLVER = "learning.resolver.resolve"  # as it is installed: guidance is asked, too
    call, version = Caller("read"), draft_of(stage)
    scripted.play(extraction=record(name="Other"), supervisor=["FAIL: no", "PASS"])
    before = seen(subcategory, call)
    with only_own_tables_change():
        trial = tried(version, subcategory, reviewed, admin)
    assert [one.is_over for one in trial.runs.all()] == [True] * 4
    assert seen(subcategory, call) == before
    assert before["queue"] and before["tallies"], "there is something to leave alone"
