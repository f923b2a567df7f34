"""A provider with a script: the far end of the network, for tests of what stands before it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from generation.providers.base import Answer, ProviderError, Request, Usage

Line = str | ProviderError | Exception | Callable[[Request], str]
RECORD: dict[str, Any] = {
    "name": "Makita DHP484",
    "description": None,
    "specifications": [{"name": "voltage", "value": 18, "unit": "V"}],
    "dimensions": {"length": {"value": 18.2, "unit": "cm"}},
    "sources": ["source"],
}


def record(**changes: Any) -> str:
    return json.dumps(RECORD | changes)


@dataclass
class Scripted:
    """Answers each stage from its script; the last line of a stage is said again."""

    name: str = "scripted"
    label: str = "Scripted"
    lines: dict[str, list[Line]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    before: Callable[[Request], None] | None = None  # looks at each request before it is answered

    def play(self, **lines: Iterable[Line] | Line) -> None:
        """The scripts, by stage; a good run where nothing else is said."""
        good: dict[str, Any] = {"extraction": record(), "formatter": record(), "supervisor": "PASS"}
        for stage, said in (good | lines).items():
            self.lines[stage] = [said] if isinstance(said, str | Exception) or callable(said) else list(said)
        self.requests.clear()
        self.before = None

    def stages(self) -> list[str]:
        return [request.stage for request in self.requests]

    def of(self, stage: str) -> list[Request]:
        return [request for request in self.requests if request.stage == stage]

    def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        if self.before is not None:
            self.before(request)
        lines = self.lines[request.stage]
        line = lines.pop(0) if len(lines) > 1 else lines[0]
        if isinstance(line, Exception):
            raise line
        text = line if isinstance(line, str) else line(request)
        return Answer(text, "scripted-1", Usage(input_tokens=100, output_tokens=10), {"max_tokens": 1})


PROVIDER = Scripted()
