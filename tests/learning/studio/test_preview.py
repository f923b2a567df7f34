"""The preview of a prompt: for a subcategory, a past run, an unsaved text, triggers by hand; it stores nothing."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation import prompts
from generation.models import Call, Prompt, PromptVersion, Run
from learning import switches
from review.models import ReviewEvent
from tests import people
from tests.factories import DraftFactory, RunFactory, SubcategoryFactory
from tests.learning.histories import history, reviewed

pytestmark = pytest.mark.django_db
SIZES, CLEAN = {"wrong_physical_dimensions": True, "notes": "cm read as mm"}, {"wrong_physical_dimensions": False}
CHECK_SIZES = "Reviewers found wrong dimensions."


def plain(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


class Scene:
    @pytest.fixture(autouse=True)
    def _scene(self) -> None:
        prompts.seed()
        self.client: Client = people.admin()
        self.live = prompts.live("item", "extraction")
        self.prompt = Prompt.objects.get(pk=self.live.prompt_id)
        self.drills = SubcategoryFactory(name="Drills", slug="drills-x")
        self.runs = history(self.drills, [[SIZES], [CLEAN], [SIZES], [CLEAN]], source={"title": "HB 14 drill"})
        self.base = f"/admin/studio/prompts/{self.prompt.pk}/preview/"

    def page(self, **asked: str) -> str:
        response = self.client.get(self.base, asked)
        assert response.status_code == 200
        return response.content.decode()


class TestShown(Scene):
    def test_the_window_of_a_subcategory_with_its_reviews(self) -> None:
        page = self.page(subcategory="drills-x")
        assert CHECK_SIZES in page
        assert 'class="injected injected--attention"' in page
        assert page.count("“cm read as mm”") == 2
        assert f"/runs/{self.runs[0].pk}/" in page
        assert "This is what is sent now." in page

    def test_the_first_reviewed_one_is_shown_unasked(self) -> None:
        assert '<option value="drills-x" selected>' in self.page()

    def test_a_trigger_set_by_hand_speaks_and_says_so(self) -> None:
        page = self.page(subcategory="drills-x", bad_format_trigger="on")
        assert "Bad format</strong> set by hand" in page
        assert "Against the triggers as they stand" in page
        added = re.findall(r'<tr class="added">.*?</tr>', page, re.S)
        assert any("Reviewers found the form loose" in plain(row) for row in added)
        assert not any("dimensions" in plain(row) for row in added)

    def test_and_one_set_off_is_silent(self) -> None:
        page = self.page(subcategory="drills-x", wrong_physical_dimensions_trigger="off")
        assert 'class="injected' not in page
        assert re.search(r'<tr class="removed">.*?Reviewers found wrong dimensions', page)

    def test_missing_fields_by_name_are_quoted_like_others(self) -> None:
        page = self.page(subcategory="drills-x", missing_spec_trigger="on", names="torque, <<SOURCE>>")
        assert "- torque" in page
        assert "&lt;&lt;SOURCE&gt;&gt;" not in page.split('id="h-sent"')[1].split('id="h-change"')[0]

    def test_another_version_is_shown_against_the_live_one_resolved_alike(self) -> None:
        prompts.save_version(
            self.prompt, system=self.live.system, user=self.live.user + "\nUnits for <<SUBCATEGORY>>."
        )
        page = self.page(subcategory="drills-x", version="2")
        change = page.split('id="h-change"')[1]
        assert "Against live version 1, resolved alike" in change
        assert "Units for" in plain(change) and "Drills" in plain(change)
        assert "Reviewers found wrong dimensions" not in re.sub(r'<tr class="same">.*?</tr>', "", change)

    @pytest.mark.parametrize(
        "wrong", [{"version": "99"}, {"version": "²"}, {"run": "x"}, {"subcategory": "nowhere"}]
    )
    def test_what_is_unknown_is_left(self, wrong: dict[str, str]) -> None:
        assert "As it would be sent" in self.page(**wrong)


class TestPastRuns(Scene):
    def test_its_source_fills_the_prompt(self) -> None:
        run = self.runs[1]
        Run.objects.filter(pk=run.pk).update(status="approved")
        assert "HB 14 drill" not in self.page(subcategory="drills-x")
        page = self.page(run=str(run.pk))
        assert "HB 14 drill" in page
        assert '<option value="drills-x" selected>' in page

    def test_its_own_review_speaks_after_a_revise(self) -> None:
        run = reviewed(self.drills, {"decision": "revise", "notes": "torque is in the table", "round": 1}, round=2)
        Run.objects.filter(pk=run.pk).update(status="approved")
        page = self.page(run=str(run.pk))
        assert 'class="injected injected--person"' in page
        assert "torque is in the table" in page

    def test_who_still_has_to_review_it_does_not_see_it(self) -> None:
        run = RunFactory(subcategory=self.drills, status="awaiting_review", source={"title": "blind drill"})
        DraftFactory(run=run)
        page = self.page(run=str(run.pk))
        assert "You still have to review this run" in page
        assert "blind drill" not in page

    def test_of_the_holdout_hears_no_trigger(self) -> None:
        run = RunFactory(subcategory=self.drills, status="approved", arm="control")
        page = self.page(run=str(run.pk), bad_format_trigger="on")
        assert "This run is in the holdout" in page
        assert 'class="injected' not in page

    def test_another_subcategory_lets_go_of_the_run(self) -> None:
        run = self.runs[1]
        Run.objects.filter(pk=run.pk).update(status="approved")
        other = SubcategoryFactory(slug="other")
        page = self.page(run=str(run.pk), subcategory=other.slug, was="drills-x")
        assert "HB 14 drill" not in page
        assert '<option value="other" selected>' in page


class TestUnsaved(Scene):
    def typed(self, address: str = "", **changed: str) -> str:
        text = {"system": "", "user": "Fill <<SUBCATEGORY>>.\r\n<<EXTRACTION_REVIEW>>\r\n<<SOURCE>>", **changed}
        response = self.client.post(self.base + address, {"subcategory": "drills-x", **text})
        assert response.status_code == 200
        return response.content.decode()

    @pytest.mark.parametrize("address", ["", "pane/"])
    def test_a_text_that_is_stored_nowhere_is_shown(self, address: str) -> None:
        page = self.typed(address)
        assert CHECK_SIZES in page and "Drills" in page
        assert PromptVersion.objects.filter(prompt=self.prompt).count() == 1

    def test_its_page_carries_the_text_on(self) -> None:
        page = self.typed(bad_format_trigger="on")
        assert "the text from the editor, stored nowhere" in page
        assert "&lt;&lt;EXTRACTION_REVIEW&gt;&gt;\n&lt;&lt;SOURCE&gt;&gt;</textarea>" in page
        assert "Bad format</strong> set by hand" in page
        assert "Against live version 1, resolved alike" in page

    def test_what_cannot_be_filled_is_told(self) -> None:
        assert "It cannot be filled: unknown placeholder &lt;&lt;NO&gt;&gt;" in self.typed("pane/", user="<<NO>>")

    def test_markup_in_a_text_stays_text(self) -> None:
        assert "<b>bold" not in self.typed("pane/", user="<b>bold</b> <<SOURCE>>")


class TestQuiet(Scene):
    def test_nothing_is_written_or_asked(self) -> None:
        before = (ReviewEvent.objects.count(), Run.objects.count(), PromptVersion.objects.count())
        with CaptureQueriesContext(connection) as queries:
            self.page(subcategory="drills-x", bad_format_trigger="on")
        writing = [q["sql"] for q in queries if q["sql"].lstrip().split(" ")[0] in ("INSERT", "UPDATE", "DELETE")]
        assert writing == []
        assert (ReviewEvent.objects.count(), Run.objects.count(), PromptVersion.objects.count()) == before
        assert not Call.objects.exists()

    def test_where_learning_is_off_it_says_so(self) -> None:
        switches.switch_off(self.drills.pk, why="x")
        page = self.page(subcategory="drills-x", bad_format_trigger="on")
        assert "Learning is off here" in page
        assert 'class="injected' not in page

    def test_a_long_history_costs_the_same(self) -> None:
        with CaptureQueriesContext(connection) as few:
            self.page(subcategory="drills-x")
        history(self.drills, [[SIZES]] * 100)
        for number in range(100):
            SubcategoryFactory(slug=f"s{number}")
        with CaptureQueriesContext(connection) as many:
            self.page(subcategory="drills-x")
        assert len(many) == len(few) <= 30

    def test_only_who_may_see_prompts(self) -> None:
        staff = User.objects.create_user("staff", is_staff=True)
        assert people.signed_in(staff).get(self.base).status_code == 403
        assert people.reviewer().get(self.base, follow=True).status_code == 403
        assert self.client.get("/admin/studio/prompts/0/preview/").status_code == 404

    @pytest.mark.parametrize("address", ["change/", "versions/", "versions/1/"])
    def test_the_prompts_pages_lead_here(self, address: str) -> None:
        page = self.client.get(f"/admin/generation/prompt/{self.prompt.pk}/{address}").content.decode()
        assert f'href="{self.base}"' in page
