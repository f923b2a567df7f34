"""What describes the API: openapi.json, and the page that is drawn from it."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from jsonschema_rs import Draft202012Validator

from config.examples import example
from tests.callers import Caller

pytestmark = pytest.mark.django_db
CONTRACT = {
    "/runs": {"get", "post"},
    "/runs/batch": {"post"},
    "/runs/{run_id}": {"get"},
    "/runs/{run_id}/drafts": {"get"},
    "/runs/{run_id}/calls": {"get"},
    "/runs/{run_id}/events": {"get"},
    "/runs/{run_id}/retry": {"post"},
    "/runs/{run_id}/cancel": {"post"},
    "/runs/{run_id}/reviews": {"get", "post"},
    "/queue/claim": {"post"},
    "/queue/claims/{run_id}": {"delete"},
    "/subcategories": {"get"},
    "/subcategories/{slug}": {"get", "put"},
    "/subcategories/{slug}/triggers": {"get"},
    "/subcategories/{slug}/stats": {"get"},
    "/prompts/resolve": {"post"},
    "/exports/reviews.{format}": {"get"},
}


@pytest.fixture
def document() -> dict[str, Any]:
    found: dict[str, Any] = Client().get("/api/v1/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, found) for path, ways in document["paths"].items() for method, found in ways.items()]


def test_every_call_of_the_contract_is_described(document: dict[str, Any]) -> None:
    paths = {path.removeprefix("/api/v1"): set(methods) for path, methods in document["paths"].items()}
    assert {path: paths.get(path) for path in CONTRACT} == CONTRACT


def test_every_operation_says_what_it_does_and_what_may_go_wrong(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    names = [found["operationId"] for _, _, found in operations(document)]
    assert len(names) == len(set(names))
    for path, method, found in operations(document):
        place = f"{method} {path}"
        assert found["summary"] and found["description"] and found["tags"], place
        assert found["security"][0]["ApiKey"], place
        expected = {"401", "403", "429"} | ({"413", "422"} if "requestBody" in found else set())
        expected |= {"404"} if "run_id" in path else set()
        assert expected <= found["responses"].keys(), place
        for status, answer in found["responses"].items():
            if int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"], place


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    wanted = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert wanted <= document["components"]["schemas"].keys()


def test_the_example_of_a_run_is_taken_as_it_stands(document: dict[str, Any]) -> None:
    schema = document["paths"]["/api/v1/runs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    body = example(schema, document["components"]["schemas"])
    assert Caller()("POST", "/runs", body).status_code == 202


def test_every_json_answer_has_an_example_that_its_schema_allows(document: dict[str, Any]) -> None:
    """Strings in the formats that are told, too."""
    count = 0
    for path, method, found in operations(document):
        for status, answer in found["responses"].items():
            for media, content in answer.get("content", {}).items():
                if int(status) < 300 and media == "application/json":
                    schema = {**content["schema"], "components": document["components"]}
                    Draft202012Validator(schema, validate_formats=True).validate(content["example"])
                    assert content["example"], f"{method} {path} {status}"
                    count += 1
    assert count > 25


def test_the_page_draws_every_webhook_with_an_example(document: dict[str, Any]) -> None:
    page = unescape(Client().get("/api/v1/docs").content.decode())
    for name, found in document["webhooks"].items():
        body = found["post"]["requestBody"]["content"]["application/json"]["schema"]
        shape = body["properties"]["data"]["$ref"].rsplit("/", 1)[-1]
        assert f'id="{found["post"]["operationId"]}"' in page and f'id="shape-{shape}"' in page, name
        assert f'"type": "{name}"' in page
    assert "webhook-signature" in page


def test_the_page_shows_every_call_without_a_script_of_its_own(document: dict[str, Any]) -> None:
    response = Client().get("/api/v1/docs")
    assert response.status_code == 200
    page = response.content.decode()
    for path, method, found in operations(document):
        assert f'id="{found["operationId"]}"' in page, f"{method} {path}"
    assert set(re.findall(r'href="#([\w-]+)"', page)) - {"main"} <= set(re.findall(r'id="([\w-]+)"', page))
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?://(?!testserver)", page)


def test_a_problems_type_leads_to_the_page() -> None:
    page = Client().get("/api/v1/docs").content.decode()
    for response in (Client().get("/api/v1/runs"), Client().get("/api/v1/no"), Caller()("PATCH", "/runs")):
        anchor = response.json()["type"].partition("#")[2]
        assert f'id="{anchor}"' in page
