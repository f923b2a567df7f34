"""The periodic repair of the history is scheduled under the name that it has."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models.functions import Now

from config.celery import app
from review.models import ReviewEvent, ReviewForm
from tests.factories import DraftFactory, UserFactory


@pytest.mark.django_db
def test_the_scheduled_task_writes_the_missing_event() -> None:
    run = DraftFactory().run
    ReviewForm.objects.create(
        run=run, reviewer=UserFactory(), revision=1, decision="approve", state="submitted",
        submitted_at=Now() - timedelta(minutes=1),
    )  # fmt: skip
    app.loader.import_default_modules()
    name = str(settings.CELERY_BEAT_SCHEDULE["review.tasks.write_missing_events"]["task"])
    assert app.tasks[name]() == 1
    assert ReviewEvent.objects.get().run == run
