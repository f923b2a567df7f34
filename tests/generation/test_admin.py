"""Administration of generation: prompts move by versions, keys show once, runs take retry and cancel."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from generation import prompts
from generation.admin.base import UpTo
from generation.line_diff import Row, rows
from generation.models import ApiKey, Batch, Prompt, PromptMove, PromptVersion, Run
from tests import people
from tests.factories import RunFactory, UserFactory

pytestmark = pytest.mark.django_db


class TestPrompts:
    @pytest.fixture(autouse=True)
    def _prompt(self) -> None:
        prompts.seed()
        self.prompt = Prompt.objects.get(flow="item", stage="extraction")
        self.live = prompts.live("item", "extraction")
        self.url = f"/admin/generation/prompt/{self.prompt.pk}/change/"
        self.client: Client = people.admin()

    def save(self, **changed: str) -> object:
        wording = {"system": self.live.system, "user": self.live.user, "model": "", "parameters": "{}", "note": ""}
        return self.client.post(self.url, wording | changed)

    def test_saving_makes_a_new_version_and_moves_nothing(self) -> None:
        response: object = self.save(system="Be exact.\r\nAlways.", note="shorter")
        version = PromptVersion.objects.get(prompt=self.prompt, number=2)
        assert (version.system, version.note) == ("Be exact.\nAlways.", "shorter")
        assert version.author is not None
        assert version.author.username == "mk"
        assert response["Location"].endswith("/versions/2/")  # type: ignore[index]
        self.prompt.refresh_from_db()
        assert self.prompt.live_id == self.live.pk

    def test_a_bad_placeholder_is_told_at_its_field_and_the_text_is_kept(self) -> None:
        response = self.save(user=self.live.user + "\n<<SUBCATEGRY>>")
        assert response.status_code == 422  # type: ignore[attr-defined]
        page = response.content.decode()  # type: ignore[attr-defined]
        error = page.index("did you mean &lt;&lt;SUBCATEGORY&gt;&gt;?")
        assert page.index('name="user"') < error < page.index('name="model"')
        assert "&lt;&lt;SUBCATEGRY&gt;&gt;</textarea>" in page
        assert self.prompt.versions.count() == 1

    @pytest.mark.parametrize("parameters", ["[1]", "{", '"x"'])
    def test_parameters_are_a_json_object(self, parameters: str) -> None:
        assert self.save(parameters=parameters).status_code == 422  # type: ignore[attr-defined]
        assert self.prompt.versions.count() == 1

    def test_making_live_asks_why_and_keeps_the_move(self) -> None:
        self.save(note="second")
        url = f"/admin/generation/prompt/{self.prompt.pk}/versions/2/live/"
        refused = self.client.post(url, {"why": " "})
        assert refused.status_code == 422
        assert b"This field is required." in refused.content
        self.client.post(url, {"why": "units first"})
        self.prompt.refresh_from_db()
        assert self.prompt.live is not None
        assert self.prompt.live.number == 2
        move = PromptMove.objects.filter(prompt=self.prompt).first()
        assert move is not None
        assert (move.why, move.by and move.by.username) == ("units first", "mk")
        page = self.client.get(self.url).content.decode()
        assert "units first" in page
        assert "version 2 is live" in page

    def test_live_already_is_told(self) -> None:
        url = f"/admin/generation/prompt/{self.prompt.pk}/versions/1/live/"
        page = self.client.post(url, {"why": "again"}, follow=True).content.decode()
        assert "is live already" in page

    def test_a_version_shows_what_differs_from_the_live_one(self) -> None:
        self.save(user=self.live.user + "\nAnswer in English.")
        page = self.client.get(f"/admin/generation/prompt/{self.prompt.pk}/versions/2/").content.decode()
        assert re.search(r'<tr class="added">.*?<td>Answer in English\.</td>', page)

    def test_who_may_only_look_changes_nothing(self) -> None:
        staff = UserFactory(is_staff=True)
        staff.user_permissions.add(Permission.objects.get(codename="view_prompt"))
        self.client = people.signed_in(staff)
        assert b"Save as version" not in self.client.get(self.url).content
        assert self.save().status_code == 403  # type: ignore[attr-defined]
        live = f"/admin/generation/prompt/{self.prompt.pk}/versions/1/live/"
        assert self.client.post(live, {"why": "x"}).status_code == 403
        assert self.prompt.versions.count() == 1

    def test_get_makes_nothing_live_and_unknown_versions_are_not_found(self) -> None:
        assert self.client.get(f"/admin/generation/prompt/{self.prompt.pk}/versions/1/live/").status_code == 405
        assert self.client.get(f"/admin/generation/prompt/{self.prompt.pk}/versions/9/").status_code == 404

    def test_reviewers_do_not_reach_the_acts(self) -> None:
        url = f"/admin/generation/prompt/{self.prompt.pk}/versions/1/live/"
        assert people.reviewer().post(url, {"why": "x"}, follow=True).status_code == 403


class TestKeys:
    def make(self, client: Client, **given: object) -> str:
        data = {"name": "importer", "scopes": ["read", "write"]} | given
        return client.post("/admin/generation/apikey/add/", data, follow=True).content.decode()

    def test_the_key_is_shown_once_and_only_its_hash_is_stored(self) -> None:
        client = people.admin()
        page = self.make(client)
        [secret] = re.findall(r'<code class="secret">(fb_[^<]+)</code>', page)
        key = ApiKey.objects.get()
        assert key.hash == ApiKey.digest(secret)
        assert key.scopes == ["read", "write"]
        assert secret not in client.get("/admin/generation/apikey/").content.decode()
        assert secret not in client.get(f"/admin/generation/apikey/{key.pk}/change/").content.decode()

    def test_revoking_keeps_the_row(self) -> None:
        client = people.admin()
        self.make(client)
        key = ApiKey.objects.get()
        client.post("/admin/generation/apikey/", {"action": "revoke", "_selected_action": [key.pk]})
        key.refresh_from_db()
        assert key.revoked_at is not None
        assert client.post(f"/admin/generation/apikey/{key.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.post(f"/admin/generation/apikey/{key.pk}/change/", {"name": "x"}).status_code == 403

    def test_a_scope_that_is_none_is_refused(self) -> None:
        assert "is not one of the available choices" in self.make(people.admin(), scopes=["root"])
        assert not ApiKey.objects.exists()


class TestRuns:
    def act(self, client: Client, action: str, *runs: Run) -> str:
        data = {"action": action, "_selected_action": [str(run.pk) for run in runs]}
        return client.post("/admin/generation/run/", data, follow=True).content.decode()

    def test_cancel_and_retry(self) -> None:
        client = people.admin()
        run = RunFactory(status="queued", revision=0)
        assert "Done for 1 run." in self.act(client, "cancel", run)
        run.refresh_from_db()
        assert run.status == "stopped"
        self.act(client, "retry", run)
        run.refresh_from_db()
        assert run.status == "queued"

    def test_a_state_that_refuses_is_named(self) -> None:
        page = self.act(people.admin(), "cancel", RunFactory(status="approved", title="Nordhaus AB"))
        assert "Nordhaus AB" in page
        assert "Done for" not in page

    def test_what_it_cost_has_its_unit(self) -> None:
        run = RunFactory(cost_usd="0.0342")
        client = people.admin()
        assert "$0.0342" in client.get(f"/admin/generation/run/{run.pk}/change/").content.decode()
        assert "Choose one" in client.get("/admin/generation/run/").content.decode()
        batch = Batch.objects.create(name="Autumn", cost_usd="8.2", spend_cap_usd="12.5")
        listed = client.get("/admin/generation/batch/").content.decode()
        assert "$8.20" in listed and "$12.50" in listed
        assert "$8.20" in client.get(f"/admin/generation/batch/{batch.pk}/change/").content.decode()

    def test_who_may_only_look_has_no_actions(self) -> None:
        staff = UserFactory(is_staff=True)
        staff.user_permissions.add(Permission.objects.get(codename="view_run"))
        run = RunFactory(status="queued", revision=0)
        self.act(people.signed_in(staff), "cancel", run)
        run.refresh_from_db()
        assert run.status == "queued"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a", "a", []),
        ("a", "b", [Row("removed", 1, None, "a"), Row("added", None, 1, "b")]),
        ("a", "a\nb", [Row("same", 1, 1, "a"), Row("added", None, 2, "b")]),
        ("a\nb", "b", [Row("removed", 1, None, "a"), Row("same", 2, 1, "b")]),
        (
            "1\n2\n3\n4\n5",
            "1\n2\n3\n4\nx",
            [
                Row("gap", None, None, "…"),
                Row("same", 2, 2, "2"),
                Row("same", 3, 3, "3"),
                Row("same", 4, 4, "4"),
                Row("removed", 5, None, "5"),
                Row("added", None, 5, "x"),
            ],
        ),
    ],
)
def test_line_by_line(old: str, new: str, expected: list[Row]) -> None:
    assert rows(old, new) == expected


def test_a_long_list_is_counted_to_a_bound_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UpTo, "bound", 120)
    RunFactory.create_batch(120)
    client = people.admin()
    page = client.get("/admin/generation/run/").content.decode()
    assert "120 runs" in page and "select the objects across all pages" in page
    RunFactory()
    page = client.get("/admin/generation/run/").content.decode()
    assert "120+ runs" in page and "filters and search find the others" in page
    assert "select the objects across all pages" not in page  # they are more than the page says
    assert client.get("/admin/generation/run/?p=3").content.count(b'name="_selected_action"') == 20
    assert client.get("/admin/generation/run/?p=4").status_code == 302
    assert "120+ found" in client.get("/admin/generation/run/?q=Thing").content.decode()
