"""The four pages of evidence are one family: the same head, tabs and places."""

import re
from random import Random
from typing import Any

import pytest
from django.test import Client

from learning import facts
from tests import people
from tests.factories import SubcategoryFactory
from tests.learning.agreement.scenes import reviewed_together
from tests.learning.costs.scenes import spent
from tests.learning.judging.scene import judged
from tests.learning.uplift.worlds import SHARE, live, write

pytestmark = pytest.mark.django_db
PAGES = {"evidence": "Evidence", "judges": "Judges", "people": "People", "cost": "Cost"}


def shown(client: Client, name: str) -> str:
    return client.get(f"/learning/{name}/").content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_an_empty_one_stands_in_the_frame(name: str) -> None:
    page = shown(people.reviewer(), name)
    assert re.findall(r'aria-current="page">([^<]*)</a>', page).count(PAGES[name]) == 1
    assert "nothing is counted yet" in page and 'class="empty"' in page and "format=csv" not in page


def test_each_tells_its_sentence_its_time_and_its_table(settings: Any) -> None:
    settings.FOLDBACK_HOLDOUT = float(SHARE)
    client, three = people.reviewer(), [people.a_reviewer(name) for name in ("mia", "tom", "zoe")]
    for flow in ("item", "editorial"):
        write(SubcategoryFactory(), live(Random(1), 20, lambda guided: 0.3), three[0], flow=flow)
    judged(three)
    reviewed_together(three)
    spent(three)
    facts.fold()
    for name in PAGES:
        head, rest = shown(client, name).split('<nav class="tabs"', 1)
        assert re.search(r"exact as of \d\d:\d\d UTC", head), name
        assert "format=csv" in head and rest.count('<p class="finding">') == 1, name
        saved = client.get(f"/learning/{name}/?format=csv")["Content-Disposition"]
        assert saved.startswith('attachment; filename="foldback-'), name
        assert "How to read it" in rest or 'class="reading"' in rest, name
        if name in ("evidence", "judges"):  # several flows have anything there
            assert head.index("Flow:") < head.index("format=csv"), name
