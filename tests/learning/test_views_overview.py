"""/ : figures, news, what is on, the queue's age; bounded queries."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from generation import prompts
from generation.models import DailySpend, Prompt, Run
from learning import guidance, thresholds
from learning.models import DaySum
from learning.overview.ages import ages
from learning.overview.fired import recent
from learning.overview.news import news
from review import groups
from review.models import Claim
from tests.factories import RunFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, many, reviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    groups.seed()
    user = UserFactory(username="rs", first_name="Ruth", last_name="Sander")
    user.groups.add(Group.objects.get(name=groups.REVIEWER))
    client.force_login(user)
    return client


def kinds() -> list[str]:
    return [piece.kind for piece in news(recent())]


def test_a_new_installation_says_what_will_be_here(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "Nothing changed in the last 24 hours" in page
    assert "The queue is empty" in page
    assert "Once runs are reviewed" in page


def test_figures(client: Client) -> None:
    drills = SubcategoryFactory()
    run = reviewed(drills, {"decision": "revise"}, {"decision": "approve"})
    Run.objects.filter(pk=run.pk).update(changed_at=timezone.now() - timedelta(hours=3, minutes=5))
    reviewed(drills, {"decision": "approve"}, status="approved")
    DailySpend.objects.create(day=timezone.localdate(), cost_usd=Decimal("4.12"))
    waiting, acceptance, today, spent = client.get("/").context["page"].figures
    assert (waiting.value, waiting.beside) == ("1", "run, the oldest 3 h")
    assert (acceptance.value, acceptance.beside) == ("50 %", "of 2")
    assert today.value == "3"
    assert spent.value == "$4.12"


def test_the_button_is_for_those_who_may_review(client: Client) -> None:
    RunFactory()
    assert b"Review the one that waits" in client.get("/").content
    reader = UserFactory()
    reader.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(reader)
    answer = client.get("/")
    assert answer.status_code == 200 and b"Review the one that waits" not in answer.content


def test_triggers_that_are_on_stand_with_their_strip(client: Client) -> None:
    drills = SubcategoryFactory(name="Cordless drills", slug="drills")
    history(drills, [[{"bad_format": True}]] * 3 + [[{}]] * 7)
    page = client.get("/")
    [found] = page.context["page"].on
    assert (found.strip.label, found.strip.count, found.low_confidence) == ("Bad format", 3, False)
    assert 'href="/learning/drills/?flow=item"' in page.content.decode()


def test_those_that_do_not_stand_here_are_a_link_away(client: Client) -> None:
    for number in range(5):
        history(SubcategoryFactory(name=f"Thing {number}"), [[{"bad_format": True, "wrong_information": True}]])
    page = client.get("/").content.decode()
    assert page.count("fired-name") == 8 and "10 of 25" in page
    assert re.search(r'<a href="/learning/">2 more<span class="sr"> triggers that are on</span></a>', page)


def test_ages_tell_free_and_held() -> None:
    now = timezone.now()
    for hours in (0.5, 2, 2, 30, 60):
        RunFactory(changed_at=now - timedelta(hours=hours))
    held = RunFactory(changed_at=now - timedelta(hours=60))
    Claim.objects.create(run=held, reviewer=UserFactory(), expires_at=now + timedelta(minutes=5))
    over = RunFactory(changed_at=now - timedelta(hours=60))
    Claim.objects.create(run=over, reviewer=UserFactory(), expires_at=now - timedelta(minutes=5))
    assert [(age.free, age.held) for age in ages()] == [(1, 0), (2, 0), (0, 0), (1, 0), (2, 1)]


def test_a_trigger_that_switched_on_since_yesterday_is_news() -> None:
    drills = SubcategoryFactory()
    old = RunFactory(subcategory=drills, status="approved", created_at=timezone.now() - timedelta(hours=30))
    Run.objects.filter(pk=old.pk).update(trigger_state={"triggers": {"bad_format_trigger": {"fired": False}}})
    history(drills, [[{"bad_format": True}]] * 3)
    [piece] = [piece for piece in news(recent()) if piece.kind == "trigger"]
    assert piece.facts["strip"].on
    assert piece.facts["label"] == "Bad format"


def test_prompt_moves_and_failures_are_news(client: Client) -> None:
    prompts.seed()
    guidance.seed()
    assert kinds() == []  # what the shipped defaults bring is none
    prompt = Prompt.objects.get(stage="extraction")
    live = prompts.live("item", "extraction")
    version = prompts.save_version(prompt, system=live.system, user=live.user)
    prompts.make_live(version, by=UserFactory(username="mk"), why="units before values")
    RunFactory.create_batch(2, status="failed", revision=0, error={"code": "timeout", "detail": ""})
    assert sorted(kinds()) == ["failures", "move"]
    page = client.get("/").content.decode()
    assert "units before values" in page
    assert "2 runs failed: the provider did not answer in time." in page


def test_new_thresholds_are_news(client: Client) -> None:
    drills = SubcategoryFactory(name="Drills")
    by = UserFactory(username="mk")
    thresholds.save(
        thresholds.Place("item", drills), {"bad_format_trigger": 5}, by=by, why="too eager", based_on=None
    )
    assert kinds() == ["threshold"]
    page = client.get("/").content.decode()
    assert "mk set the thresholds of Drills, Item: “too eager”." in page


def queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/").status_code == 200
    return len(captured)


def test_queries_do_not_grow(client: Client) -> None:
    many(SubcategoryFactory(), 3, 1, bad_format=True)
    few = queries(client)
    for _ in range(12):
        many(SubcategoryFactory(), 12, 2, bad_format=True, missing_spec=["torque"])
    assert queries(client) == few
    assert few <= 36


def test_what_became_better_is_told_with_its_counts(client: Client) -> None:
    drills, day = SubcategoryFactory(name="Drills"), timezone.now().date()
    for back, first, accepted in ((2, 20, 19), (20, 100, 50)):
        DaySum.objects.create(
            flow="item", subcategory_id=drills.pk, day=day - timedelta(days=back), first=first, accepted=accepted
        )
    page = " ".join(client.get("/").content.decode().split())
    assert "better: 19 of 20, was 50 of 100" in page
    assert "First-pass acceptance of 1 subcategory compared; told where it moved by more than chance." in page


def test_the_days_as_csv(client: Client) -> None:
    reviewed(SubcategoryFactory(), {"decision": "approve"})
    DailySpend.objects.create(day=timezone.now().date(), cost_usd=Decimal("1.25"))
    answer = client.get("/", {"format": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="foldback-overview.csv"'
    head, today, *rest = answer.content.decode("utf-8-sig").splitlines()
    assert head == "day,new_runs,reviews,first_reviews,accepted,spent_usd"
    assert today.startswith(timezone.now().date().isoformat()) and today.split(",")[1:5] == ["1", "1", "1", "1"]
    assert today.split(",")[5].startswith("1.25") and len(rest) == 29


def test_more_than_a_screen_of_news_is_one_click_away(client: Client) -> None:
    prompts.seed()
    by = UserFactory()
    prompt, live = Prompt.objects.get(stage="extraction"), prompts.live("item", "extraction")
    for number in range(9):
        version = prompts.save_version(prompt, system=live.system, user=f"{live.user} {number}")
        prompts.make_live(version, by=by, why=f"try {number}")
    page = client.get("/").content.decode()
    assert page.index("“try 2”") < page.index("<summary>2 more</summary>") < page.index("“try 1”")
