"""The same texts in the export, in REST's answers and problems, and in headers."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from generation.reading import storable
from review.exports.formats.jsonl import UNSEEN
from tests import people
from tests.callers import Caller
from tests.hostile.rows import filled
from tests.hostile.texts import TEXTS

pytestmark = pytest.mark.django_db
TEXT = " ".join(text for kind, texts in TEXTS.items() if kind != "huge" for text in texts)


def test_an_exported_run_is_one_line_whoever_splits_it() -> None:
    filled(TEXT, people.a_reviewer())
    out = StringIO()
    call_command("export_reviews", stdout=out)
    lines = out.getvalue().splitlines()  # at every line end that Unicode knows
    assert len(lines) == 5 and not UNSEEN.search(out.getvalue())
    for line in lines:
        read = json.loads(line)
        assert read["output"]["name"] == storable(TEXT) == read["reviews"][0]["notes"] + storable(TEXT)[4000:]


def bodies(text: str) -> list[tuple[str, str, Any]]:
    source = {"title": "T"}
    return [
        ("POST", "/runs", {"flow": text, "source": source}),
        ("POST", "/runs", {"flow": "item", "source": {"title": "T", text: text}}),
        ("POST", "/runs", {"flow": "item", "source": source, "subcategory": f"s {text}"[:100]}),
        ("POST", "/runs", {"flow": "item", "source": source, text: text}),
        ("POST", "/runs/batch", {"name": text, "runs": [{"flow": text}]}),
        ("POST", "/prompts/resolve", {"flow": "item", "stage": text, "subcategory": text}),
        ("POST", "/queue/claim", {"flow": text}),
        ("GET", "/runs?cursor=%0d%0aSet-Cookie:x&status=%3Cscript%3E", None),
        ("GET", "/%0d%0aSet-Cookie:%20hostile=1", None),
        ("GET", "/subcategories/%3Cscript%3E%1b[31m/triggers", None),
        ("PUT", "/subcategories/%3Cscript%3E", {"name": text, "category": text}),
        ("POST", "/runs", "{" + storable(text)),
    ]


@pytest.mark.parametrize("number", range(len(bodies(""))))
def test_no_answer_is_markup_and_no_header_holds_a_text(number: int) -> None:
    caller = Caller()
    for text in (text for kind, texts in TEXTS.items() if kind != "huge" for text in texts):
        method, path, body = bodies(text)[number]
        response = caller(method, path, body, X_Request_ID="x")
        assert response.status_code in (202, 204, 400, 404, 405, 422), (text, response.content)
        assert response.headers.get("Content-Type", "application/json").split(";")[0] in (
            "application/json",
            "application/problem+json",
        )
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "hostile" not in str(response.headers) and "Set-Cookie" not in response.headers
        if response.content:
            json.loads(response.content)
