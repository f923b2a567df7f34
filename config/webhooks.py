"""The messages that we send, as the OpenAPI document describes them: each type's data, and the headers of all."""

from typing import Any

from pydantic import BaseModel

from generation.models.webhook import TEST, TYPES
from generation.webhooks.events import PromptTold, RunTold, TestTold
from learning.telling import TriggerTold
from review.telling import ReviewTold

DATA: dict[str, type[BaseModel]] = {
    "run.finished": RunTold,
    "run.needs_human_review": RunTold,
    "review.recorded": ReviewTold,
    "trigger.changed": TriggerTold,
    "prompt.activated": PromptTold,
    TEST: TestTold,
}
HEADERS = {
    "webhook-id": "The message's id: the same at each attempt. Keep those that were taken, and take none twice.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970 (UTC).",
    "webhook-signature": "One or more signatures, with spaces between; one that holds is enough.",
}
ANSWERS = {
    "2XX": "It was taken, and is not sent again.",
    "410": "No more: the endpoint is switched off.",
    "default": "It was not taken, and is sent again later, for three days. `Retry-After` is heard.",
}
REF = "#/components/schemas/{model}"


def described() -> dict[str, Any]:
    """The document's `webhooks`: a POST for each type."""
    return {type: {"post": _post(type)} for type in DATA}


def schemas() -> dict[str, Any]:
    """The shapes of the data, for the document's components."""
    found: dict[str, Any] = {}
    for model in DATA.values():
        schema = model.model_json_schema(ref_template=REF, mode="serialization")
        found |= {**schema.pop("$defs", {}), model.__name__: schema}
    return found


def _post(type: str) -> dict[str, Any]:
    summary = str(TYPES.get(type, "An admin asked for a message, to see whether it arrives."))
    body = {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "const": type},
            "timestamp": {"type": "string", "format": "date-time", "description": "When it happened (UTC)."},
            "data": {"$ref": REF.format(model=DATA[type].__name__)},
        },
    }
    return {
        "operationId": type.replace(".", "_"),
        "tags": ["Webhooks"],
        "summary": summary,
        "description": f"{summary} Signed after the Standard Webhooks specification, and sent at least once.",
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
            for name, text in HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {status: {"description": text} for status, text in ANSWERS.items()},
    }
