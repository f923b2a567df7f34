"""How little chance a deterministic request leaves to each model."""

from typing import Any

import pytest

from tests.generation.providers.test_anthropic import ask
from tests.messages_api import MessagesApi

LEAST_CHANCE = [
    ("claude-sonnet-5-5", {}, None, "low"),
    ("claude-opus-4-7", {}, None, "low"),
    ("eu.anthropic.claude-opus-4-8-v1:0", {}, None, "low"),
    ("claude-opus-4-6", {}, 0, None),
    ("claude-sonnet-4-5-20250929", {}, 0, None),
    ("anthropic/claude-opus-4.6", {}, 0, None),
    ("claude-3-5-sonnet-20241022", {}, 0, None),
    ("our-own-model", {}, None, None),  # nobody knows what it takes
    ("claude-opus-4-6", {"temperature": 0.5}, 0.5, None),  # the version's word stands
    ("claude-opus-4-6", {"thinking": "adaptive"}, None, None),
    ("claude-sonnet-5-5", {"effort": "high"}, None, "high"),
    ("claude-sonnet-5-5", {"max_tokens": 500}, None, "low"),
]


@pytest.mark.parametrize(("model", "parameters", "temperature", "effort"), LEAST_CHANCE)
def test_a_deterministic_request_has_the_least_chance_that_its_model_allows(
    messages_api: MessagesApi,
    model: str,
    parameters: dict[str, Any],
    temperature: float | None,
    effort: str | None,
) -> None:
    answer = ask(model=model, parameters=parameters, deterministic=True)
    assert messages_api.last.get("temperature") == temperature == answer.sent.get("temperature")
    assert messages_api.last.get("output_config", {}).get("effort") == effort == answer.sent["effort"]
