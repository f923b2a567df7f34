"""Every page that says something of a judgement: that the judge could not judge, why, and never that it passed."""

import re

import pytest
from django.test import Client

from generation.models import Run
from review import recording
from review.recording import Fields
from tests import people
from tests.unavailable.far_end import BY_NAME, CASES, PASSES, Case, words
from tests.unavailable.reading import PASSED, judgings, page, part, plain

pytestmark = pytest.mark.django_db
Walk = dict[Case, Run]
CONTROLS = tuple((flow, PASSES) for flow in BY_NAME)


@pytest.fixture
def web() -> Client:
    return people.reviewer()


def holds(said: str, case: Case, passed: str = "passed") -> None:
    """What is said of a case; of a control that it passed, so that the walk would see it."""
    if case[1] == PASSES:
        assert passed in said and "could not judge" not in said
    else:
        assert words(case) in said.casefold() and not PASSED.search(said)


@pytest.mark.parametrize("case", [*CASES, *CONTROLS])
def test_the_page_of_a_review(walk: Walk, web: Client, case: Case) -> None:
    markup = page(web, f"/runs/{walk[case].pk}/")
    holds(plain(markup.partition('<form class="form"')[0]), case, "The judge passed it the first time")
    lanes = judgings(markup)
    holds(plain(lanes[-1]), case)
    assert ("#i-check" in "".join(lanes)) == (case[1] == PASSES)


@pytest.mark.parametrize("case", CASES)
def test_an_excuse_is_no_finding_about_the_record(walk: Walk, web: Client, case: Case) -> None:
    markup = page(web, f"/runs/{walk[case].pk}/")
    assert "data-findings" not in markup and "finding--failed" not in markup
    said = plain(part(markup, "p", "finding--attention"))
    feedback = walk[case].judgements.order_by("id")[0].result["feedback"]
    assert said.startswith(f"The judge {words(case)}") and said.endswith(" ".join(feedback.split()))


@pytest.mark.parametrize("case", [*CASES, *CONTROLS])
def test_the_page_in_progress(walk: Walk, web: Client, case: Case) -> None:
    markup = page(web, f"/runs/{walk[case].pk}/progress/")
    holds(plain(markup), case)
    if case[1] != PASSES:
        assert f"The judge {words(case)}" in plain(part(markup, "p", 'class="reason'))


@pytest.mark.parametrize("case", [*CASES, *CONTROLS])
def test_the_page_once_it_is_decided(walk: Walk, web: Client, case: Case) -> None:
    run, person = walk[case], people.a_reviewer("decides")
    recording.submit(run.pk, Fields(decision="approve"), reviewer=person)
    markup = page(web, f"/runs/{run.pk}/")
    judged = part(markup, "section", 'id="h-judged"')
    holds(plain(judged), case, "Passed")
    assert ("state--passed" in judged) == (case[1] == PASSES)
    assert ("#i-check" in "".join(judgings(markup))) == (case[1] == PASSES)
    if case[1] == PASSES:
        assert run.judgements.get().kind not in plain(judged).casefold(), "kinds are ours, not reviewers'"
    else:
        assert f"The judge {words(case)}" in plain(part(markup, "p", 'class="reason"'))


@pytest.mark.parametrize("case", [*CASES, *CONTROLS])
def test_the_list_of_the_queue(walk: Walk, web: Client, case: Case) -> None:
    row = part(page(web, "/queue/"), "tr", str(walk[case].pk))
    holds(plain(row), case, "The judge passed it the first time")
    assert "state--passed" not in row and "#i-check" not in row


@pytest.mark.parametrize("case", CASES)
def test_the_page_of_its_batch(walk: Walk, web: Client, case: Case) -> None:
    markup = page(web, f"/batches/{walk[case].batch_id}/")
    assert words(case) in plain(part(markup, "tr", str(walk[case].pk)))
    assert not PASSED.search(plain(markup)) and "state--passed" not in markup
    if case[0] == "change":
        assert f"The judge {words(case)}" in plain(part(markup, "li", 'id="wrong-failed'))


def test_the_page_of_a_batch_that_passed(walk: Walk, web: Client) -> None:
    assert "state--passed" in page(web, f"/batches/{walk['item', PASSES].batch_id}/")


def test_the_overview_tells_each_reason(walk: Walk, web: Client) -> None:
    news = plain(page(web, "/").partition('id="h-news"')[2].partition("</section>")[0])
    told = {words((flow, cause)) for flow, cause in CASES}
    assert {one for one in told if f"the judge {one}." in news} == told
    assert "failed: the judge could not judge it" in news and "need a person: the judge could not judge it" in news
    assert not PASSED.search(news)


@pytest.mark.parametrize("flow", BY_NAME)
def test_the_pages_of_learning_say_nothing_of_it(walk: Walk, web: Client, flow: str) -> None:
    for address in ("/learning/", f"/learning/{flow}-things/?flow={flow}"):
        markup = page(web, address)
        said = plain(re.sub(r"<nav.*?</nav>", "", markup.partition('id="prompt"')[0], flags=re.S))
        assert "judge" not in said.casefold() and not PASSED.search(said)


@pytest.mark.parametrize("case", [*CASES, *CONTROLS])
def test_administration(walk: Walk, case: Case) -> None:
    run, admin = walk[case], people.admin()
    listed = page(admin, f"/admin/generation/run/?batch__id__exact={run.batch_id}&flow={run.flow}")
    row = plain(part(listed, "tr", f"/admin/generation/run/{run.pk}/change/"))
    assert ("could not judge" in row, "passed" in row) == (case[1] != PASSES, case[1] == PASSES)
    markup = page(admin, f"/admin/generation/run/{run.pk}/change/")
    judged = plain(markup[markup.index('id="judgements-group"') :])
    holds(judged, case)
    shown = plain(part(markup, "div", "field-judge_outcome"))
    assert shown.endswith("passed" if case[1] == PASSES else "could not judge")
