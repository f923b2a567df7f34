"""/learning/<slug>/: ten runs, shares, the annotated prompt, and the switch."""

import csv
import io

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from generation import prompts
from learning import guidance
from learning.models import Switch
from tests import people
from tests.factories import RunFactory, SubcategoryFactory, UserFactory
from tests.learning.histories import history, reviewed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _seeded() -> None:
    prompts.seed()
    guidance.seed()


@pytest.fixture
def client() -> Client:
    return people.reviewer()


def page(client: Client, slug: str, **query: str) -> str:
    response = client.get(f"/learning/{slug}/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_each_injected_text_names_its_cause_and_links_to_its_reviews(client: Client) -> None:
    drills = SubcategoryFactory(slug="drills")
    raised = {"decision": "revise", "wrong_physical_dimensions": True, "notes": "length in cm read as mm"}
    runs = history(drills, [[raised], [raised], *[[{}]] * 8])
    text = page(client, "drills", stage="extraction")
    injected = text[text.index('class="injected injected--attention"') :]
    assert "<strong>Wrong dimensions</strong> 2 of 10 runs" in injected
    assert "Reviewers found wrong dimensions." in injected
    assert "2 reviews" in injected
    for run in runs[:2]:
        assert f'href="/runs/{run.pk}/"' in injected
    assert "“length in cm read as mm”" in injected


def test_without_a_trigger_nothing_is_injected(client: Client) -> None:
    drills = SubcategoryFactory(slug="drills")
    history(drills, [[{}]] * 10)
    text = page(client, "drills", stage="supervisor")
    assert "injected--attention" not in text
    assert "0 of 2000 characters injected, at most 0 of 4000 tokens" in text


@pytest.mark.parametrize("stage", ["categorizer", "extraction", "formatter", "supervisor"])
def test_every_stage_has_its_prompt(client: Client, stage: str) -> None:
    SubcategoryFactory(slug="drills")
    text = page(client, "drills", stage=stage)
    assert f"What the next {stage} is told" in text


def test_htmx_gets_the_prompt_alone(client: Client) -> None:
    SubcategoryFactory(slug="drills")
    response = client.get("/learning/drills/", {"stage": "formatter"}, headers={"HX-Request": "true"})
    assert response.content.decode().lstrip().startswith('<section id="prompt"')


def test_few_runs_are_told(client: Client) -> None:
    reviewed(SubcategoryFactory(slug="drills"), {"bad_format": True})
    assert "few runs: low confidence" in page(client, "drills")


def test_the_matrix_links_each_run_and_shows_first_decision_and_reviewer(client: Client) -> None:
    drills = SubcategoryFactory(slug="drills")
    ruth = UserFactory(first_name="Ruth", last_name="Sander")
    run = reviewed(drills, {"decision": "revise", "bad_format": True, "reviewer": ruth}, {"reviewer": ruth})
    text = page(client, "drills")
    assert text.count(f'href="/runs/{run.pk}/"') >= 6
    assert "sent back" in text
    assert "Ruth Sander" in text


def test_unknown_subcategories_and_flows_are_not_found(client: Client) -> None:
    SubcategoryFactory(slug="drills")
    assert client.get("/learning/planes/").status_code == 404
    assert client.get("/learning/drills/", {"flow": "nonsense"}).status_code == 404


def test_waiting_runs_are_counted(client: Client) -> None:
    RunFactory.create_batch(3, subcategory=SubcategoryFactory(slug="drills"))
    assert "3 waiting" in page(client, "drills")


class TestSwitch:
    url = "/learning/drills/switch/"

    @pytest.fixture(autouse=True)
    def _subcategory(self) -> None:
        self.drills = SubcategoryFactory(slug="drills")

    def test_reviewers_may_not(self, client: Client) -> None:
        assert client.post(self.url, {"state": "off", "why": "x"}).status_code == 403
        assert "Switch learning off here" not in page(client, "drills")
        assert not Switch.objects.exists()

    def test_get_is_refused(self, admin_client: Client) -> None:
        assert admin_client.get(self.url).status_code == 405

    def test_off_with_a_reason_and_on_again(self, admin_client: Client) -> None:
        admin_client.post(self.url, {"state": "off", "why": "two products in one photo"})
        switch = Switch.objects.get(subcategory=self.drills)
        assert (switch.why, switch.by and switch.by.username) == ("two products in one photo", "admin")
        assert "two products in one photo" in page(admin_client, "drills")
        admin_client.post(self.url, {"state": "on"})
        assert not Switch.objects.exists()

    def test_off_asks_why(self, admin_client: Client) -> None:
        response = admin_client.post(self.url, {"state": "off", "why": " "}, follow=True)
        assert b"say why" in response.content
        assert not Switch.objects.exists()

    def test_each_way_has_its_permission_and_being_staff_is_none(self) -> None:
        user = people.a_reviewer()
        user.is_staff = True
        user.save(update_fields=["is_staff"])
        client = Client()
        client.force_login(user)
        assert client.post(self.url, {"state": "off", "why": "x"}).status_code == 403
        user.user_permissions.add(Permission.objects.get(codename="add_switch"))
        client.post(self.url, {"state": "off", "why": "x"})
        assert Switch.objects.exists()
        assert "Switch it on again" not in page(client, "drills")
        assert client.post(self.url, {"state": "on"}).status_code == 403
        user.user_permissions.add(Permission.objects.get(codename="delete_switch"))
        client.post(self.url, {"state": "on"})
        assert not Switch.objects.exists()

    def test_off_takes_the_guidance_out_of_the_prompt(self, admin_client: Client) -> None:
        history(self.drills, [[{"wrong_physical_dimensions": True}]] * 3)
        assert "injected--attention" in page(admin_client, "drills")
        admin_client.post(self.url, {"state": "off", "why": "x"})
        assert "injected--attention" not in page(admin_client, "drills")


def test_the_ten_runs_as_csv(client: Client) -> None:
    drills = SubcategoryFactory(slug="drills")
    reviewed(drills, {"bad_format": True, "missing_spec": ["torque"]}, title="=1+1")
    answer = client.get("/learning/drills/", {"format": "csv"})
    [row] = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["title"], row["bad_format"], row["missing_spec"]) == ("'=1+1", "true", "torque")
