"""Administration: who gets in, and that every page of it stands in our frame without anything inline."""

import re
from html.parser import HTMLParser

import pytest
from django.contrib import admin

from generation import prompts
from generation.models import ApiKey, Batch, Call, Category, Institution, Prompt, WebhookEndpoint
from generation.webhooks import outbox
from learning import guidance
from learning.models import FieldSynonym, Guidance, Switch
from review.models import Claim, ReviewEvent, ReviewForm
from tests import people
from tests.factories import DraftFactory, ReviewEventFactory, RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
LISTS = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in MODELS]


class Inline(HTMLParser):
    """Collects what a strict policy refuses: inline scripts and styles, event attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(f"<{tag}>")
        self.found += [f"{tag} {name}" for name in names if name == "style" or name.startswith(("on", "hx-on"))]


@pytest.fixture
def everything() -> None:
    """One row of everything that is registered."""
    prompts.seed()
    guidance.seed()
    draft = DraftFactory(run=RunFactory(subcategory=SubcategoryFactory()))
    Batch.objects.create(name="b")
    Institution.objects.create(slug="i", name="I")
    Call.objects.create(run=draft.run, stage="extraction", provider="demo")
    ApiKey.objects.create(name="k", hash="h", scopes=["read"])
    event = ReviewEventFactory(run=draft.run, draft=draft)
    ReviewForm.objects.create(run=draft.run, reviewer=event.reviewer)
    Claim.objects.create(run=draft.run, reviewer=UserFactory(), expires_at="2040-01-01T00:00Z")
    FieldSynonym.objects.create(flow="item", name="Größe", canonical="size")
    Switch.objects.create(subcategory=draft.run.subcategory)
    endpoint = WebhookEndpoint.objects.create(url="https://example.org/hook", types=["run.finished"])
    outbox.send_test(endpoint, "webhook.test")


@pytest.mark.parametrize("url", ["/admin/", *LISTS])
def test_outsiders_are_sent_to_sign_in(url: str) -> None:
    response = people.outsider().get(url, follow=True)
    assert response.redirect_chain[-1][0].startswith("/login/?next=")


@pytest.mark.parametrize("url", ["/admin/", *LISTS])
def test_reviewers_do_not_get_in(url: str) -> None:
    response = people.reviewer().get(url, follow=True)
    assert response.status_code == 403
    assert b"Administration is for admins" in response.content


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("url", LISTS)
def test_lists_and_their_rows_stand_in_our_frame_with_nothing_inline(url: str) -> None:
    client = people.admin()
    answer = client.get(url, follow=True)  # some stand in the studio
    pages = [answer.content.decode()]
    rows = re.findall(rf'href="({url}[^"/]+/change/)', pages[0])
    pages += [client.get(rows[0]).content.decode()] if rows else []
    add = client.get(f"{url}add/")
    pages += [add.content.decode()] if add.status_code == 200 else []
    for page in pages:
        inline = Inline()
        inline.feed(page)
        assert inline.found == []
        assert 'class="admin-nav"' in page
        assert "css/admin/frame.css" in page
        sheets = set(re.findall(r"/static/(admin/css/[\w/]+\.css)", page))
        assert sheets <= {
            "admin/css/unusable_password_field.css"
        }  # Django's own know neither our colours nor dark
    assert "default-src 'none'" in answer["Content-Security-Policy"]


NEVER_WRITTEN = [
    "generation/run",
    "generation/call",
    "generation/webhookdelivery",
    "review/reviewevent",
    "review/reviewform",
]


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("model", NEVER_WRITTEN)
def test_what_happened_is_never_written_by_anybody(model: str) -> None:
    client = people.admin()
    [change] = set(re.findall(rf"/admin/{model}/[^\"/]+/change/", client.get(f"/admin/{model}/").content.decode()))
    assert client.get(change).status_code == 200
    assert client.post(change, {}).status_code == 403
    assert client.get(f"/admin/{model}/add/").status_code == 403
    assert client.post(change.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403


@pytest.mark.usefixtures("everything")
def test_staff_see_only_what_they_may() -> None:
    staff = UserFactory(is_staff=True)
    client = people.signed_in(staff)
    assert b"Nothing to administer" in client.get("/admin/").content
    assert client.get("/admin/generation/prompt/").status_code == 403
    for model in (Prompt, Guidance, ReviewEvent, Category):
        url = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(url).status_code == 403


def test_first_page_names_each_list_with_its_purpose() -> None:
    page = people.admin().get("/admin/").content.decode()
    for model in MODELS:
        assert str(model._meta.verbose_name_plural).capitalize()[:5].casefold() in page.casefold()
    assert "Nobody can change it." in page
    purposes = re.findall(r"<li><a href=\"([^\"]+)\">[^<]*</a><p>([^<]*)</p>", page)
    assert len(purposes) >= len(MODELS) and [url for url, purpose in purposes if not purpose] == []
    assert (
        page.index("Generation") < page.index("Review events") < page.index("Guidance texts") < page.index("Users")
    )
