"""The pages of a prompt: checks while typing, two who save at once, versions compared, going back, approval."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from generation import prompts
from generation.models import Prompt, PromptMove, PromptVersion
from tests import people
from tests.factories import RunFactory, SubcategoryFactory, UserFactory

pytestmark = pytest.mark.django_db


class Pages:
    @pytest.fixture(autouse=True)
    def _prompt(self) -> None:
        self.live = prompts.live("item", "extraction")
        self.prompt = Prompt.objects.get(pk=self.live.prompt_id)
        self.base = f"/admin/generation/prompt/{self.prompt.pk}"
        self.client: Client = people.admin()
        self.me = User.objects.get(username="mk")

    def version(self, user: str, **more: Any) -> PromptVersion:
        return prompts.save_version(self.prompt, system=self.live.system, user=f"<<SOURCE>> {user}", **more)

    def wording(self, **changed: str) -> dict[str, str]:
        return {"system": self.live.system, "user": self.live.user, "parameters": "{}", **changed}

    def page(self, address: str) -> str:
        response = self.client.get(self.base + address)
        assert response.status_code == 200
        return response.content.decode()


class TestWhileTyping(Pages):
    def check(self, **changed: str) -> str:
        response = self.client.post(f"{self.base}/check/", self.wording(**changed), HTTP_HX_REQUEST="true")
        assert response.status_code == 200
        assert PromptVersion.objects.filter(prompt=self.prompt).count() == 1
        return response.content.decode()

    @pytest.mark.parametrize(
        ("user", "says"),
        [
            (
                "<<SOURCE>>\nfor <<SUBCATEGRY>>",
                ["unknown", "line 2, column 5", "Did you mean &lt;&lt;SUBCATEGORY"],
            ),
            ("<<SOURCE>> <<WEATHER>>", ["unknown", "line 1, column 12"]),
            ("<<SOURCE>> <source>>", ["all placeholders are known"]),
            ("<<SOURCE>> <<source>>", ["malformed", "line 1, column 12", "Did you mean &lt;&lt;SOURCE&gt;&gt;?"]),
            ("nothing", ["missing", "&lt;&lt;SOURCE&gt;&gt;", "the stage extraction cannot do without it"]),
            ("<<SOURCE>>", ["without &lt;&lt;EXTRACTION_REVIEW&gt;&gt; no guidance reaches this stage"]),
        ],
    )
    def test_what_is_wrong_is_named_with_its_place(self, user: str, says: list[str]) -> None:
        page = self.check(user=user)
        assert [word for word in says if word not in page] == []

    def test_places_are_those_of_a_browser(self) -> None:
        """Which counts in UTF-16, and knows line ends of one character."""
        page = self.check(user="👍\r\n<<SOURCE>> <<SORCE>>")
        assert 'data-fault="user" data-start="14" data-end="23"' in page
        assert "line 2, column 12" in page

    def test_an_unfillable_text_has_no_size_yet(self) -> None:
        assert "Its size is told once every placeholder can be filled." in self.check(user="<<SOURCE>> <<NO>>")

    def test_what_is_cached_ends_before_the_source(self) -> None:
        page = self.check(system="", user="a" * 400 + "\n<<SOURCE>>\n" + "b" * 99)
        assert "Cached up to &lt;&lt;SOURCE&gt;&gt; in line 2, column 1" in page
        assert "user 101, cached" in page
        assert "after that 25, not cached" in page
        assert "about 126 tokens, nothing injected" in page

    def test_the_way_from_the_live_version_comes_along(self) -> None:
        page = self.check(user=self.live.user + "\nGive units.", model="claude-x")
        assert 'id="against"' in page and 'hx-swap-oob="true"' in page
        assert re.search(r'<tr class="added">.*?<td>Give units\.</td>', page)
        assert re.search(r"model: .*<ins>claude", page)

    def test_broken_parameters_stop_nothing(self) -> None:
        assert "all placeholders are known" in self.check(parameters="{")

    def test_a_reviewer_may_not(self) -> None:
        assert people.reviewer().post(f"{self.base}/check/", self.wording(), follow=True).status_code == 403


class TestTwoAtOnce(Pages):
    def save(self, **changed: str) -> Any:
        return self.client.post(f"{self.base}/change/", self.wording(start="1", newest="1", **changed))

    def test_the_second_is_told_what_was_saved_and_keeps_the_own_text(self) -> None:
        rosa = UserFactory(username="rosa", first_name="Rosa", last_name="Stein")
        prompts.save_version(
            self.prompt, system=self.live.system, user=self.live.user + "\nHers.", author=rosa, note="units"
        )
        refused = self.save(user=self.live.user + "\nMine.", note="why")
        page = refused.content.decode()
        assert refused.status_code == 409
        assert "Not saved: somebody saved a version while you were writing" in page
        assert "Rosa Stein" in page and "“units”" in page
        assert re.search(r'<tr class="added">.*?<td>Hers\.</td>', page)
        assert "\nMine.</textarea>" in page
        assert 'name="newest" value="2"' in page
        assert "Save as version 3" in page
        assert self.prompt.versions.count() == 2
        again = self.client.post(
            f"{self.base}/change/",
            self.wording(start="1", newest="2", user=self.live.user + "\nMine.", note="why"),
        )
        assert again["Location"].endswith("/versions/3/")
        texts = dict(self.prompt.versions.values_list("number", "user"))
        assert texts[2].endswith("Hers.") and texts[3].endswith("Mine.")

    def test_who_was_alone_just_saves(self) -> None:
        assert self.save(user="<<SOURCE>>")["Location"].endswith("/versions/2/")

    def test_the_editor_says_what_it_started_from(self) -> None:
        self.version("two")
        page = self.page("/change/?from=1")
        assert 'name="start" value="1"' in page and 'name="newest" value="2"' in page


class TestVersions(Pages):
    def test_any_two_are_compared_either_way(self) -> None:
        self.version("say two words", model="claude-a")
        self.version("say three words", model="claude-b")
        page = self.page("/versions/?a=2&b=3")
        assert "From version 2 to version 3" in page
        assert "say <del>two</del> words" in page and "say <ins>three</ins> words" in page
        assert "<del>a</del>" in page and "<ins>b</ins>" in page
        other = self.page("/versions/?a=3&b=2")
        assert "say <ins>two</ins> words" in other

    @pytest.mark.parametrize("asked", ["?a=1&b=1", "?a=1&b=99", "?a=x&b=2", "?a=1", "?before=0", "?a=1&b=²"])
    def test_what_cannot_be_compared_is_left(self, asked: str) -> None:
        assert "From version" not in self.page(f"/versions/{asked}")

    def test_states_and_moves(self) -> None:
        second = self.version("b")
        prompts.make_live(second, by=self.me, why="better")
        prompts.make_live(self.live, by=self.me, why="worse after all")
        page = self.page("/versions/")
        assert "was live" in page
        assert "2 back to 1" in page and "worse after all" in page

    def test_a_hundred_cost_what_ten_do(self) -> None:
        for number in range(2, 11):
            self.version(str(number), author=self.me)
        with CaptureQueriesContext(connection) as ten:
            self.page("/versions/?a=1&b=2")
        for number in range(11, 101):
            version = self.version(str(number), author=self.me)
            if number % 3 == 0:
                prompts.make_live(version, by=self.me, why="x")
        with CaptureQueriesContext(connection) as hundred:
            page = self.page("/versions/?a=1&b=2")
        assert len(hundred) == len(ten) <= 12
        assert page.count('name="a"') == 50
        assert "?before=51" in page
        assert self.page("/versions/?before=51").count('name="a"') == 50


class TestTheList(Pages):
    def proposed(self) -> str:
        page = self.client.get("/admin/generation/prompt/?flow=item").content.decode()
        return next(row for row in page.split("<tr") if f"/prompt/{self.prompt.pk}/change/" in row)

    def test_what_was_proposed_is_found(self) -> None:
        assert 'class="field-proposed">–' in self.proposed()
        self.version("two")
        third = self.version("three")
        assert f'<a href="{self.base}/versions/3/">3</a>' in self.proposed()
        prompts.make_live(third, by=self.me, why="x")
        assert 'class="field-proposed">–' in self.proposed()
        prompts.make_live(self.live, by=self.me, why="back")
        assert f'<a href="{self.base}/versions/2/">2</a>' in self.proposed()


class TestGoingBack(Pages):
    @pytest.fixture(autouse=True)
    def _second(self, _prompt: None) -> None:
        self.second = self.version("second")
        prompts.make_live(self.second, by=self.me, why="better")

    def go(self, number: int, **given: str) -> Any:
        return self.client.post(f"{self.base}/versions/{number}/live/", given)

    def test_the_page_shows_what_would_change_first(self) -> None:
        page = self.page("/versions/1/")
        assert "Against live version 2" in page and "Go back to version 1" in page
        assert 'name="live" value="2"' in page
        self.go(1, why="worse", live="2")
        move = PromptMove.objects.filter(prompt=self.prompt)[0]
        assert (move.from_version, move.to_version, move.why, move.by) == (
            self.second,
            self.live,
            "worse",
            self.me,
        )

    def test_who_saw_another_live_version_is_shown_anew(self) -> None:
        third = self.version("third")
        rosa = UserFactory(first_name="Rosa", last_name="Stein")
        prompts.make_live(third, by=rosa, why="hotfix")
        told = self.go(1, why="mine", live="2")
        page = told.content.decode()
        assert told.status_code == 409
        assert "Nothing was moved: version 3 was made live meanwhile" in page
        assert "Rosa Stein" in page and "“hotfix”" in page
        assert "Against live version 3" in page and 'name="live" value="3"' in page
        assert 'value="mine"' in page
        assert prompts.live("item", "extraction") == third
        self.go(1, why="mine", live="3")
        assert prompts.live("item", "extraction") == self.live


class TestApproval(Pages):
    @pytest.fixture(autouse=True)
    def _on(self, settings: Any, _prompt: None) -> None:
        settings.FOLDBACK_PROMPT_APPROVAL = True
        self.rosa = people.signed_in(User.objects.create_superuser("rosa"))

    def live_by(self, client: Client, number: int) -> str:
        url = f"{self.base}/versions/{number}/live/"
        return client.post(url, {"why": "good", "live": "1"}, follow=True).content.decode()

    def test_the_proposer_cannot_and_a_second_person_can(self) -> None:
        assert "Propose version 2" in self.page("/change/")
        self.client.post(f"{self.base}/change/", self.wording(user="<<SOURCE>> new"))
        page = self.page("/versions/2/")
        assert "You wrote this version: another admin makes it live." in page
        assert f"{self.base}/versions/2/live/" not in page
        assert "waits for a second person" in self.page("/versions/")
        assert "made live by somebody else than its author" in self.live_by(self.client, 2)
        assert prompts.live("item", "extraction") == self.live
        shown = self.rosa.get(f"{self.base}/versions/2/").content.decode()
        assert "Approve version 2 and make it live" in shown
        assert "version 2 is live" in self.live_by(self.rosa, 2)

    def test_the_author_goes_back_alone(self) -> None:
        version = self.version("mine", author=self.me)
        prompts.make_live(version, by=User.objects.get(username="rosa"), why="x")
        prompts.make_live(self.live, by=self.me, why="worse")
        assert "Go back to version 2" in self.page("/versions/2/")
        assert "version 2 is live" in self.live_by(self.client, 2)


class TestSizesPerSubcategory(Pages):
    def test_the_usual_one_is_one_that_people_reviewed(self) -> None:
        SubcategoryFactory(name="Anvils", slug="anvils")
        reviewed = SubcategoryFactory(name="Drills", slug="drills-2")
        RunFactory(subcategory=reviewed, last_review_event_id=1, last_reviewed_at="2026-01-01T00:00Z")
        page = self.page("/change/")
        assert '<option value="drills-2" selected>' in page
        assert "for Drills" in page
