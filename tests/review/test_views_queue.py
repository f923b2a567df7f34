"""The queue: who may see it, what it shows, filters, paging, and the way to the next run."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from generation.models import Batch, Run, Status
from review.models import Claim
from tests import scenes
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db


def make(count: int, **given: Any) -> list[Run]:
    runs: list[Run] = RunFactory.create_batch(count, **given)
    for run in runs:
        DraftFactory(run=run)
    return runs


def test_a_stranger_is_sent_to_sign_in(client: Client) -> None:
    assert client.get("/queue/").headers["Location"].startswith("/login/")


@pytest.mark.parametrize("path", ["/queue/", "/runs/{run}/"])
def test_a_person_outside_the_group_is_refused(client: Client, path: str) -> None:
    client.force_login(UserFactory())
    response = client.get(path.format(run=RunFactory().pk))
    assert response.status_code == 403
    assert "have no role here yet" in response.text and 'href="/queue/"' not in response.text


def test_who_may_read_and_not_review_is_told_the_group(client: Client) -> None:
    reader = UserFactory()
    reader.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(reader)
    assert client.get("/learning/").status_code == 200
    assert "group “reviewer”" in client.get("/queue/").text


def test_posts_need_the_group_too(client: Client) -> None:
    client.force_login(UserFactory())
    assert client.post("/queue/next/").status_code == 403
    assert not Claim.objects.exists()


def test_the_list_says_what_where_why_and_who_holds_it(web: Client, me: User) -> None:
    other = scenes.reviewer("rosa", "Rosa", "Stein")
    scenes.queue(me, other)
    text = web.get("/queue/").text
    for words in (
        "Nordhaus AB 18-60 Li", "Cordless drills", "9.8 times the median", "3 d 4 h", "free", "4 min left",
        "Round 2, sent back by Rosa Stein", "11 wait",
        "The judge could not judge it: the provider took too long to answer",
    ):  # fmt: skip
        assert words in text


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ("progress", {"Bohrständer BS 45", "Label tape 12 mm"}),
        ("failed", {"Handwaage HW 5"}),
        ("reviewed", set()),
        ("nonsense", {"Nordhaus AB 18-60 Li"}),
    ],
)
def test_every_view_lists_its_own_runs(web: Client, me: User, view: str, shown: set[str]) -> None:
    runs = scenes.queue(me, scenes.reviewer("rosa"))
    text = web.get("/queue/", {"view": view}).text
    assert {run.title for run in runs.values() if f">{run.title}</a>" in text} >= shown
    if view != "nonsense":
        assert {run.title for run in runs.values() if f">{run.title}</a>" in text} == shown


def test_filters_narrow_the_list_and_stay_in_its_links(web: Client, me: User) -> None:
    scenes.queue(me, scenes.reviewer("rosa"))
    text = web.get("/queue/", {"subcategory": "coffee-scales", "flow": "item"}).text
    assert "Tara 2 coffee scale" in text
    assert "Nordhaus" not in text
    assert "?view=progress&amp;flow=item&amp;subcategory=coffee-scales" in text
    assert "Nothing here matches" in web.get("/queue/", {"subcategory": "unknown"}).text


def test_an_empty_queue_says_how_to_fill_it(web: Client) -> None:
    text = web.get("/queue/").text
    assert "Nothing waits for a person" in text
    assert "import_runs" in text


@pytest.mark.parametrize("view", ["waiting", "progress", "failed"])
def test_more_pages_follow_by_key(web: Client, view: str) -> None:
    status = {"waiting": Status.AWAITING_REVIEW, "progress": Status.QUEUED, "failed": Status.STOPPED}[view]
    titles = {run.title for run in RunFactory.create_batch(60, status=status)}
    first = web.get("/queue/", {"view": view})
    second = web.get("/queue/" + first.context["page"].next_address)
    shown = [item.run.title for answer in (first, second) for item in answer.context["page"].items]
    assert len(shown) == 60
    assert set(shown) == titles
    assert second.context["page"].next_address == ""


@pytest.mark.parametrize("cursor", ["x", "2026-01-01~x", "~", "2026-01-01T00:00:00+00:00~x"])
@pytest.mark.parametrize("view", ["waiting", "failed", "reviewed"])
def test_a_broken_cursor_leads_back_to_the_queue(web: Client, view: str, cursor: str) -> None:
    response = web.get("/queue/", {"view": view, "cursor": cursor})
    assert response.headers["Location"] == "/queue/"


def test_failed_runs_page_by_when_they_ended(web: Client) -> None:
    ended = {"failed": Status.FAILED, "stopped": Status.STOPPED}
    runs = [RunFactory(status=ended[how], revision=0, title=f"{how} {n}") for n in range(30) for how in ended]
    now = timezone.now()
    for back, run in enumerate(runs):
        Run.objects.filter(pk=run.pk).update(changed_at=now - timedelta(minutes=back // 2))
    pages = [web.get("/queue/", {"view": "failed"}).text]
    [cursor] = set(re.findall(r"cursor=([^\"&]+)", pages[0]))
    pages.append(web.get("/queue/", {"view": "failed", "cursor": unquote(cursor)}).text)
    found = [re.findall(r"(?:failed|stopped) \d+", page) for page in pages]
    once = [list(dict.fromkeys(names)) for names in found]
    assert [len(names) for names in once] == [50, 10]
    assert once[0][0].endswith(" 0") and once[1][-1].endswith(" 29") and not set(once[0]) & set(once[1])


def test_the_newest_batches_can_be_chosen_and_an_older_one_stays_chosen(web: Client) -> None:
    old, *_, unnamed = [Batch.objects.create(name=f"Lot {n}") for n in range(21)] + [Batch.objects.create()]
    page = web.get("/queue/", {"view": "all", "batch": str(old.pk)}).text
    menu = page.split('id="f-batch"')[1].split("</select>")[0]
    assert re.findall(r">([^<]+)</option>", menu)[1:3] == [f"{unnamed.created_at:%Y-%m-%d %H:%M} UTC", "Lot 20"]
    assert menu.count("<option") == 1 + 20 + 1 and f'<option value="{old.pk}" selected>Lot 0<' in menu


def test_htmx_gets_the_list_alone(web: Client) -> None:
    response = web.get("/queue/", headers={"HX-Request": "true", "HX-Target": "list"})
    assert response.text.lstrip().startswith('<div id="list"')


def test_queries_do_not_grow_with_the_rows(web: Client, django_assert_num_queries: Any) -> None:
    make(10)
    web.get("/queue/")
    with django_assert_num_queries(QUERIES):
        web.get("/queue/")
    make(90)
    with django_assert_num_queries(QUERIES):
        web.get("/queue/")


# session, user, permissions (2), the list (keys, rows, assignments, claims), tallies, today, oldest, held,
# choices of filters (4), saved views
QUERIES = 17


def test_next_claims_and_opens_a_run(web: Client, me: User) -> None:
    (run,) = make(1)
    response = web.post("/queue/next/")
    assert response.headers["Location"] == reverse("run", args=[run.pk])
    assert Claim.objects.get(run=run).reviewer == me


def test_next_keeps_to_the_filter(web: Client) -> None:
    make(2)
    wanted = SubcategoryFactory()
    (run,) = make(1, subcategory=wanted)
    response = web.post("/queue/next/", {"subcategory": wanted.slug})
    assert response.headers["Location"] == f"{reverse('run', args=[run.pk])}?subcategory={wanted.slug}"


def test_next_with_nothing_waiting_says_so(web: Client) -> None:
    response = web.post("/queue/next/", follow=True)
    assert "Nothing more waits for you" in response.text


@pytest.mark.parametrize("name", ["flow", "subcategory"])
def test_a_filter_that_no_database_can_hold_finds_nothing(web: Client, name: str) -> None:
    make(1)
    for view in ("waiting", "progress", "failed", "reviewed"):
        assert web.get("/queue/", {"view": view, name: "a\0"}).status_code == 200
    assert web.post("/queue/next/", {name: "a\0"}).headers["Location"].startswith("/queue/")
