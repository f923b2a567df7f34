"""Texts of a trial's calls are forgotten as those of runs are."""

import pytest
from django.contrib.auth.models import User

from generation.forgetting import forget_calls
from generation.models import Subcategory, TrialCall, TriedRun
from tests.generation.scripted import Scripted
from tests.generation.trials.conftest import draft_of, past_runs, tried

pytestmark = pytest.mark.django_db


def test_old_texts_go_and_sums_stay(scripted: Scripted, subcategory: Subcategory, admin: User) -> None:
    tried(draft_of(), subcategory, past_runs(subcategory), admin)
    TrialCall.objects.filter(stage="extraction").update(created_at="2020-01-01T00:00Z")
    TriedRun.objects.update(status="reviewing")
    assert forget_calls(30) == 0, "what is worked on keeps what it paid for"
    TriedRun.objects.update(status="awaiting_review")
    assert forget_calls(30) == 1 and forget_calls(30) == 0
    old, new = TrialCall.objects.order_by("id")
    assert (old.system, old.user, old.answer) == ("", "", "") and old.input_tokens == 100
    assert new.user and new.answer
