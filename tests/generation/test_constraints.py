"""What the database itself refuses to double, whichever code writes."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from generation.access import make_key
from generation.models import Call, Draft, IdempotencyKey, Judgement, Prompt, PromptVersion, Run
from tests.factories import RunFactory

pytestmark = pytest.mark.django_db

ONCE: dict[str, Callable[[Run], Any]] = {
    "a call of one step": lambda run: Call.objects.create(run=run, stage="extraction", provider="demo"),
    "a revision": lambda run: Draft.objects.create(run=run, revision=1, content={}, made_by="extraction"),
    "a cycle's judgement": lambda run: Judgement.objects.create(
        run=run, round=1, cycle=1, kind="supervisor", outcome="passed"
    ),
    "a stage's prompt": lambda run: Prompt.objects.create(flow="item", stage="extraction"),
}


@pytest.mark.parametrize("what", ONCE)
def test_the_second_of_what_there_is_once_is_refused(what: str) -> None:
    run = RunFactory()
    ONCE[what](run)
    with pytest.raises(IntegrityError), transaction.atomic():
        ONCE[what](run)


def test_a_version_number_and_an_idempotency_key_are_used_once() -> None:
    prompt = Prompt.objects.create(flow="item", stage="extraction")
    key = make_key("ci")[0]
    for make in (
        lambda: PromptVersion.objects.create(prompt=prompt, number=1, user="x"),
        lambda: IdempotencyKey.objects.create(api_key=key, key="k", body_hash="h"),
    ):
        make()
        with pytest.raises(IntegrityError), transaction.atomic():
            make()
