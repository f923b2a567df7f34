"""Many runs at once: who may, what is asked first, what becomes of each, and what goes on after a kill."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from generation.models import Run, Status
from review import bulk, groups
from review.models import Assignment, BulkAct, Placement
from review.tasks import finish_bulk
from tests.factories import RunFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    user: User = UserFactory(username="boss", is_superuser=True, is_staff=True)
    return user


@pytest.fixture
def boss(client: Client, admin: User) -> Client:
    client.force_login(admin)
    return client


def of(runs: list[Run], act: str, **more: str) -> dict[str, Any]:
    return {"act": act, "run": [str(run.pk) for run in runs]} | more


def states(runs: list[Run]) -> set[str]:
    return set(Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("status", flat=True))


def test_it_is_asked_with_the_count_of_those_that_can_be_and_done_once_confirmed(boss: Client) -> None:
    failed, waiting = RunFactory.create_batch(3, status=Status.FAILED), RunFactory.create_batch(2)
    asked = boss.post("/queue/bulk/", of(failed + waiting, "retry"))
    assert "Retry 3 runs?" in asked.text and states(failed) == {"failed"}
    done = boss.post("/queue/bulk/", of(failed + waiting, "retry", confirmed="1"), follow=True)
    assert "3 runs queued again, 2 were in no state for it." in done.text
    assert states(failed) == {"queued"} and states(waiting) == {"awaiting_review"}


def test_all_that_the_filters_match(boss: Client) -> None:
    mine = RunFactory.create_batch(120, status=Status.QUEUED, flow="question")
    others = RunFactory.create_batch(2, status=Status.QUEUED)
    given = {"act": "cancel", "all": "1", "query": "view=progress&flow=question"}
    assert "Cancel 120 runs?" in boss.post("/queue/bulk/", given).text
    assert "120 runs cancelled." in boss.post("/queue/bulk/", given | {"confirmed": "1"}, follow=True).text
    assert (states(mine), states(others)) == ({"stopped"}, {"queued"})


def test_assigning_setting_aside_and_putting_back(boss: Client, me: User) -> None:
    runs = RunFactory.create_batch(3)
    boss.post("/queue/bulk/", of(runs, "assign", person=me.username, confirmed="1"))
    assert Assignment.objects.filter(person=me).count() == 3
    boss.post("/queue/bulk/", of(runs[:1], "assign", person="*", confirmed="1"))
    assert Assignment.objects.filter(person=me).count() == 2
    boss.post("/queue/bulk/", of(runs, "set_aside", why="Recall", confirmed="1"))
    assert Run.objects.aside().count() == 3 and not Assignment.objects.exists()
    assert "Recall" in boss.get("/queue/?view=aside").text
    boss.post("/queue/bulk/", of(runs[:1], "put_back", confirmed="1"))
    assert Run.objects.aside().count() == 2 and Placement.objects.count() == 4


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"act": "retry"}, "Choose at least one run"),
        ({"act": "explode", "run": "x"}, "Choose what to do"),
        ({"act": "retry", "run": "x"}, "This is no run"),
        ({"act": "retry", "run": "00000000-0000-0000-0000-000000000000"}, "None of these runs"),
        ({"act": "retry", "all": "1", "query": "view=reviewed"}, "this view lists reviews"),
        ({"act": "assign", "run": "RUN", "person": "stranger"}, "no reviewer of this name"),
        ({"act": "assign", "run": "RUN", "confirmed": "1"}, "Choose a person"),
    ],
)
def test_what_cannot_be_done_says_why(boss: Client, run: Run, given: dict[str, str], words: str) -> None:
    UserFactory(username="stranger")
    given = {name: str(run.pk) if value == "RUN" else value for name, value in given.items()}
    assert words in boss.post("/queue/bulk/", given, follow=True).text
    assert not BulkAct.objects.exists()


@pytest.mark.parametrize(
    ("group", "may"),
    [(groups.REVIEWER, set()), (groups.ADJUDICATOR, {"assign", "set_aside", "put_back"})],
)
def test_each_act_asks_for_its_right(client: Client, group: str, may: set[str]) -> None:
    groups.seed()
    user = UserFactory()
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    for act in BulkAct.Kind.values:
        refused = (
            client.post("/queue/bulk/", of([RunFactory()], act, person="*", confirmed="1")).status_code == 403
        )
        assert refused is (act not in may), act
    text = client.get("/queue/").text
    assert ('class="choose"' in text) is bool(may) and "Retry" not in text


def test_a_post_without_the_token_is_refused(admin: User, run: Run) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    assert client.post("/queue/bulk/", of([run], "set_aside", confirmed="1")).status_code == 403
    assert not Run.objects.aside().exists()


def test_many_are_done_by_a_task_which_may_be_killed(
    boss: Client, admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 5)
    monkeypatch.setattr(bulk, "CHUNK", 4)
    runs = RunFactory.create_batch(11)
    given = {"act": "set_aside", "all": "1", "query": "", "confirmed": "1"}
    answer = boss.post("/queue/bulk/", given)
    act = BulkAct.objects.get()
    assert answer["Location"] == f"/queue/bulk/{act.pk}/" and act.done == 0
    assert bulk.go_on(act.pk), "a first part, and the worker dies"
    page = boss.get(answer["Location"]).text
    assert "4 runs set aside" in page and "every 2s" in page
    assert finish_bulk() == 1 and finish_bulk() == 0
    assert Run.objects.aside().count() == len(runs) and Placement.objects.count() == len(runs)
    page = boss.get(answer["Location"], headers={"HX-Request": "true"}).text
    assert "11 runs set aside." in page and "every" not in page
    assert not bulk.go_on(act.pk)
