"""An editorial as reviewers read it: every kind of block, findings at theirs, and nothing of it as markup."""

from typing import Any

import pytest
from django.test import Client

from generation.errors import BadInput
from generation.flows.editorial.record import Editorial
from generation.intake import parse
from tests import scenes
from tests.factories import DraftFactory, RunFactory
from tests.generation.editorials import SOURCE

pytestmark = pytest.mark.django_db
BLOCKS: list[dict[str, Any]] = [
    {"type": "hero", "text": "Rain again", "caption": "from the quay"},
    {"type": "headline", "text": "A heading"},
    {"type": "body_text", "paragraphs": ["Norsund opened a waxing room in March.", "<script>alert(1)</script>"]},
    {"type": "quote", "text": "Wax forgives.", "speaker": "Tuva Lind"},
    {"type": "person", "name": "Olaf Berg", "occupation": "sailor", "text": "He sails."},
    {"type": "product", "name": "Kai", "brand": "Norsund", "text": "A coat.", "price": "€ 240"},
    {"type": "divider"},
    {"type": "hashtags", "tags": ["rainwear"]},
    {"type": "credits", "lines": ["https://norsund.example/wax"]},
]
RECORD: dict[str, Any] = {
    "title": "What the rain leaves",
    "subtitle": "Coats & quays",
    "blocks": BLOCKS,
    "mentions": [
        {"name": "Norsund", "kind": "brand", "topic": 1},
        {"name": "Olaf Berg", "kind": "person", "topic": None},
    ],
}
FOUND = [
    {"field": "/blocks/4/name", "code": "hallucination", "severity": "error", "detail": "Olaf is in no topic."}
]

SHOWN = (
    "What the rain leaves", "Coats &amp; quays", "Rain again", "from the quay", "A heading", "Wax forgives.",
    "Tuva Lind", "sailor", "He sails.", "Kai", "A coat.", "€ 240", "rainwear", "norsund.example",
)  # fmt: skip


def page_of(client: Client, content: dict[str, Any], **draft: Any) -> str:
    run = RunFactory(flow="editorial", title="Rainwear", source=SOURCE)
    DraftFactory(run=run, content=content, made_by="enrich", **draft)
    client.force_login(scenes.reviewer())
    return client.get(f"/runs/{run.pk}/").text


def test_every_kind_of_block_is_on_the_page(client: Client) -> None:
    Editorial.model_validate(RECORD)
    page = page_of(client, RECORD, findings=FOUND)
    article = page[page.index('class="magazine"') : page.index("</article>")]
    for text in SHOWN:
        assert text in article
    assert "css/records/editorial.css" in page
    assert "&lt;script&gt;" in article and "<script>alert" not in page
    name = article[article.index('id="f-blocks-4-name"') :]
    assert name.index("Olaf is in no topic.") < name.index("sailor")  # the finding stands at its field


def test_names_are_told_with_their_topics(client: Client) -> None:
    page = page_of(client, RECORD)
    names = page[page.index('class="mag-mentions"') :]
    assert names.index("topic 1") < names.index("Olaf Berg") < names.index("in no topic")


def test_a_page_that_is_not_of_its_schema_is_a_table(client: Client) -> None:
    page = page_of(client, RECORD | {"blocks": [{"type": "body_text", "paragraphs": "One string."}]})
    assert 'class="magazine"' not in page and "One string." in page


def test_the_source_reads_in_its_own_order(client: Client) -> None:
    page = page_of(client, RECORD)
    source = page[page.index('class="source"') :]
    where = [
        source.index(text) for text in ("waxes its own cotton", "waxing room", "brands: ", "people: ", "url: ")
    ]
    assert where == sorted(where)


@pytest.mark.parametrize(
    ("source", "pointer"),
    [
        ({"keyword": "x"}, "/source/topics"),
        ({"keyword": " ", "topics": SOURCE["topics"]}, "/source/keyword"),
        ({"keyword": "x", "topics": []}, "/source/topics"),
        ({"keyword": "x", "topics": [{"title": "t"}]}, "/source/topics/0/summary"),
        (SOURCE | {"tone": "dry"}, "/source/tone"),
        ({"keyword": "x", "topics": [{"title": "t", "summary": "s", "celebs": []}]}, "/source/topics/0/celebs"),
    ],
)
def test_a_source_is_refused_by_name(source: dict[str, Any], pointer: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse({"flow": "editorial", "source": source})
    assert [problem.pointer for problem in refused.value.problems] == [pointer]
