"""A house where guidance helps in one subcategory, does nothing in others, and harms in one."""

from random import Random

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from generation.models import Subcategory
from learning import facts
from tests.factories import CategoryFactory
from tests.learning.uplift.worlds import SHARE, live, write

LAST = """UPDATE generation_run SET last_reviewed_at = e.created_at, last_review_event_id = e.id
FROM review_reviewevent e WHERE e.run_id = generation_run.id"""
PLACES = {  # name → flow, reviews, faults without guidance and with it
    "Cordless drills": ("item", 1_500, 0.4, 0.05),
    "Coffee grinders": ("item", 60, 0.3, 0.3),
    "Frying pans": ("item", 2_400, 0.5, 0.9),
    "Label printers": ("item", 6, 0.2, 0.2),
    "Slow fashion": ("editorial", 400, 0.35, 0.3),
}


def compared(by: User) -> Subcategory:
    """The one where it helps. FOLDBACK_HOLDOUT must be a tenth where the pages are to speak of it."""
    assert str(SHARE) == str(settings.FOLDBACK_HOLDOUT)
    category = CategoryFactory(name="Shop")
    made = []
    for number, (name, (flow, reviews, without, with_)) in enumerate(PLACES.items()):
        here = Subcategory.objects.create(slug=name.lower().replace(" ", "-"), name=name, category=category)
        rates = {False: without, True: with_}
        write(here, live(Random(number), reviews, rates.__getitem__), by, flow=flow)
        made.append(here)
    with connection.cursor() as cursor:
        cursor.execute(LAST)
    facts.fold()
    return made[0]
