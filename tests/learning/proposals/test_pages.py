"""The pages: the list by flow, one with its evidence and its diff, and the two decisions over HTTP."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation import prompts
from generation.models import Prompt
from learning.models import Proposal
from learning.studio.proposals import deciding, finding
from review.models import ReviewEvent
from tests import people
from tests.factories import SubcategoryFactory, UserFactory
from tests.learning.proposals import lives

pytestmark = pytest.mark.django_db
LIST = "/admin/studio/proposals/"


@pytest.fixture
def admin(settings: Any) -> Client:
    settings.FOLDBACK_PROVIDER = "demo"
    prompts.seed()
    return people.admin()


@pytest.fixture
def proposal(admin: Client) -> Proposal:
    lives.came_back(SubcategoryFactory(name="Cordless drills", slug="cordless-drills"))
    [made] = finding.find()
    return made


def html(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def at(proposal: Proposal, part: str = "") -> str:
    return f"{LIST}{proposal.pk}/{part}"


def given(**changes: Any) -> dict[str, Any]:
    return {"text": "Check each size.", "place": "guidance", "note": "sizes slip", "live_seen": 1} | changes


def made(count: int, **changes: Any) -> None:
    fields = {"flow": "item", "stage": "extraction", "cause": "came_back", "signal": "missing_spec", "text": "x"}
    subcategories = [SubcategoryFactory() for _ in range(count)]
    Proposal.objects.bulk_create(
        Proposal(
            **(fields | {"wording": "template", "field": f"f{n}", "field_key": f"f{n}"} | changes),
            subcategory=one,
            figures=[{"subcategory": one.pk, "count": 3, "of": 10, "threshold": 3, "cells": []}],
        )
        for n, one in enumerate(subcategories)
    )


def test_the_empty_list_says_what_will_be_here(admin: Client) -> None:
    page = html(admin, LIST)
    assert "Nothing is proposed" in page and "find_proposals" in page


def test_the_list_has_open_ones_by_flow_and_then_the_decided(admin: Client) -> None:
    made(2)
    made(1, flow="question", stage="question")
    made(1, field_key="z")
    deciding.decline(Proposal.objects.get(field_key="z"), by=UserFactory(first_name="Mara"), why="too rare")
    page = html(admin, LIST)
    assert page.index("2 open") < page.index("1 open") < page.index("Decided")
    assert "3 wait for a decision" in page and "“too rare”" in page and "Mara" in page


def test_older_decided_ones_are_a_page_on(admin: Client) -> None:
    made(60)
    Proposal.objects.update(state="declined")
    first = html(admin, LIST)
    assert first.count('class="proposal-entry"') == 50
    older = first.split("?before=")[1].split('"')[0]
    assert html(admin, f"{LIST}?before={older}").count('class="proposal-entry"') == 10
    assert html(admin, f"{LIST}?before=x").count('class="proposal-entry"') == 50


@pytest.mark.parametrize("state", ["open", "declined"])
def test_a_longer_list_asks_no_more(admin: Client, state: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            html(admin, LIST)
        return len(seen)

    made(10)
    Proposal.objects.update(state=state)
    few = queries()
    Proposal.objects.all().delete()
    made(100)
    Proposal.objects.update(state=state)
    assert queries() == few


def test_a_page_has_cause_strip_evidence_text_and_diff(admin: Client, proposal: Proposal) -> None:
    page = html(admin, at(proposal))
    cause = (
        "“Wrong dimensions” came back in 3 of the last 10 runs of Cordless drills whose prompts had its guidance."
    )
    assert cause in page
    assert page.count('class="cell is-raised"') == 3 and page.count('class="cell is-clear"') == 7
    for event in proposal.events:
        run = ReviewEvent.objects.get(pk=event).run_id
        assert page.count(f'href="/runs/{run}/"') == 2  # in the strip, and in the evidence
    assert page.count("length in cm read as mm") == 3
    assert '<tr class="added">' in page and "In Cordless drills: " in page
    assert f'action="{at(proposal, "accept/")}"' in page and f'action="{at(proposal, "decline/")}"' in page


def test_evidence_that_was_taken_back_or_left_out_since_says_so(admin: Client, proposal: Proposal) -> None:
    assert "taken back since" not in html(admin, at(proposal))
    first, second, _third = (ReviewEvent.objects.get(pk=pk) for pk in sorted(proposal.events))
    for event, kind in ((first, "undone"), (second, "left_out")):
        ReviewEvent.objects.create(
            run=event.run, draft=event.draft, sequence=event.sequence + 1, kind=kind, undoes=event,
            reviewer=event.reviewer, round=event.round,
        )  # fmt: skip
    page = html(admin, at(proposal))
    assert page.count("taken back since") == 1 and page.count("left out of learning since") == 1


def test_a_trigger_that_stayed_on_is_drawn_in_rows_of_ten(admin: Client) -> None:
    lives.stayed_on(SubcategoryFactory(name="Cordless drills"))
    [made] = finding.find()
    page = html(admin, at(made))
    assert "was on after each of the last 20 reviewed runs of Cordless drills." in page
    assert page.count('class="strip-cells"') == 2 and page.count('class="cell is-raised"') == 10


def test_a_page_asks_no_more_for_more_subcategories(admin: Client) -> None:
    def queries(proposal: Proposal) -> int:
        with CaptureQueriesContext(connection) as seen:
            html(admin, at(proposal))
        return len(seen)

    lives.came_back(SubcategoryFactory())
    [one] = finding.find()
    few = queries(one)
    deciding.decline(one, by=UserFactory(), why="no")
    for _ in range(5):
        lives.came_back(SubcategoryFactory())
    [many] = finding.find()
    assert len(many.figures) == 5
    assert queries(many) == few


def test_the_diff_follows_what_is_typed(admin: Client, proposal: Proposal) -> None:
    shown = admin.post(at(proposal, "change/"), given(text="Weigh it.", place="system")).content.decode()
    assert "Weigh it." in shown and "System prompt" in shown and "User prompt" not in shown
    assert shown.startswith('<div id="change"')
    assert "Nothing would change." in admin.post(at(proposal, "change/"), given(text=" ")).content.decode()
    assert Proposal.objects.get().text == proposal.text


def test_accepting_leads_to_the_new_version(admin: Client, proposal: Proposal) -> None:
    prompt = Prompt.objects.get(flow="item", stage="extraction")
    response = admin.post(at(proposal, "accept/"), given(text="Check each\r\nsize."))
    assert response["Location"] == f"/admin/generation/prompt/{prompt.pk}/versions/2/"
    version = prompt.versions.get(number=2)
    assert "Check each\nsize.\n\n<<EXTRACTION_REVIEW>>" in version.user
    page = html(admin, at(proposal))
    assert "Accepted by mk" in page and "/versions/2/" in page and "Decline" not in page
    assert "Saved version 2" in html(admin, "/admin/")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"text": ""}, "This field is required"),
        ({"text": "Look at <<SORCE>> first."}, "did you mean &lt;&lt;SOURCE&gt;&gt;"),
        ({"note": ""}, "This field is required"),
        ({"place": "elsewhere"}, "Select a valid choice"),
    ],
)
def test_what_is_refused_stands_at_its_field(
    admin: Client, proposal: Proposal, changes: dict[str, Any], says: str
) -> None:
    response = admin.post(at(proposal, "accept/"), given(**changes))
    assert response.status_code == 422 and says in response.content.decode()
    assert Proposal.objects.get().state == "open"


def test_who_was_overtaken_is_told_and_keeps_the_text(admin: Client, proposal: Proposal) -> None:
    live = prompts.live("item", "extraction")
    prompts.make_live(
        prompts.save_version(live.prompt, system=live.system, user=f"{live.user} More."), by=None, why="w"
    )
    response = admin.post(at(proposal, "accept/"), given(text="Mine alone."))
    page = response.content.decode()
    assert response.status_code == 409 and "Version 2 went live meanwhile" in page
    assert "Mine alone." in page and 'name="live_seen" value="2"' in page
    assert admin.post(at(proposal, "accept/"), given(live_seen=2)).status_code == 302


def test_declining_asks_why(admin: Client, proposal: Proposal) -> None:
    assert admin.post(at(proposal, "decline/"), {"why": ""}).status_code == 422
    assert admin.post(at(proposal, "decline/"), {"why": "too rare"})["Location"] == LIST
    assert "“too rare”" in html(admin, at(proposal))
    again = admin.post(at(proposal, "decline/"), {"why": "again"}, follow=True)
    assert "Somebody decided about this proposal meanwhile." in again.content.decode()


def test_administration_says_how_many_wait(admin: Client, proposal: Proposal) -> None:
    assert "1 proposal waits for a decision" in html(admin, "/admin/")
    deciding.decline(proposal, by=UserFactory(), why="no")
    assert "waits for a decision" not in html(admin, "/admin/")


def test_its_place_in_the_navigation_is_marked(admin: Client, proposal: Proposal) -> None:
    for url in (LIST, at(proposal), "/admin/learning/proposal/"):
        assert '<a href="/admin/learning/proposal/" aria-current="page">' in html(admin, url)
    assert admin.get(f"/admin/learning/proposal/{proposal.pk}/change/")["Location"] == at(proposal)


@pytest.mark.parametrize(
    ("permissions", "statuses"),
    [
        ([], (403, 403, 403, 403)),
        (["view_proposal"], (200, 200, 403, 403)),
        (["view_proposal", "change_proposal"], (200, 200, 403, 302)),
        (["view_proposal", "change_proposal", "change_prompt"], (200, 200, 302, 302)),
    ],
)
def test_each_act_asks_for_its_right(
    admin: Client, proposal: Proposal, permissions: list[str], statuses: tuple[int, ...]
) -> None:
    user = User.objects.create_user("some", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = people.signed_in(user)
    page = client.get(at(proposal))
    found = (
        client.get(LIST).status_code,
        page.status_code,
        client.post(at(proposal, "accept/"), given()).status_code,
        client.post(at(proposal, "decline/"), {"why": "no"}).status_code,
    )
    assert found == statuses
    assert ("Accept as a new version" in page.content.decode()) is ("change_prompt" in permissions)


def test_a_proposal_whose_flow_is_gone_is_not_found(admin: Client, proposal: Proposal) -> None:
    Proposal.objects.update(flow="gone")
    assert admin.get(at(proposal)).status_code == 404
    assert admin.get(LIST).status_code == 200


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "Worded by a template."),
        ({"wording": "waiting"}, "the provider is asked"),
        ({"wording": "provider", "provider": "anthropic", "model": "m", "cost_usd": "0.0042"},
         "Worded by anthropic, m, for $0.0042."),
        ({"provider": "anthropic", "failure": "too_long"}, "anthropic was asked: The answer was too long."),
        ({"provider": "anthropic", "failure": "timeout"}, "The provider took too long to answer."),
        ({"answer": "<b>what came</b>", "request": {"user": "what was asked"}}, "&lt;b&gt;what came&lt;/b&gt;"),
    ],
)  # fmt: skip
def test_the_page_says_who_worded_it(
    admin: Client, proposal: Proposal, changes: dict[str, Any], says: str
) -> None:
    Proposal.objects.update(**changes)
    assert says in html(admin, at(proposal))
