"""The demo provider: fixed rules, offline, no AI. It reads its prompt alone, follows the guidance it finds there,
and makes the mistakes that weak models make, at the rates in `faults.py`."""

import sys
from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext

from generation.providers.base import Answer, ProviderError, Request
from generation.providers.command.program import AgentProvider, Program
from generation.providers.demo import change, question, stages
from generation.providers.demo.editorial import stages as editorial
from generation.providers.demo.prompt import Prompt

MODEL = "demo-rules"
Rule = Callable[[Prompt], str]
# Flow → stage → what answers it.
RULES: dict[str, dict[str, Rule]] = {
    "change": {"reviewer": change.review},
    "item": {
        "categorizer": stages.categorize,
        "extraction": stages.extract,
        "formatter": stages.format_,
        "supervisor": stages.supervise,
    },
    "editorial": {"editorial": editorial.write, "enrich": editorial.enrich, "judge": editorial.judge},
    "question": {
        "question": question.write,
        "judge": question.judge,
    },
}


class DemoProvider:
    name = "demo"

    @property
    def label(self) -> str:
        return gettext("Demo (rules, not an AI)")

    def answer(self, request: Request) -> Answer:
        """Uses no tokens, costs nothing and searches nothing, whatever tools the request offers."""
        rule = RULES.get(request.flow, {}).get(request.stage)
        if rule is None:
            raise ProviderError("not_configured", f"the demo has no rules for {request.flow} / {request.stage}")
        return Answer(text=rule(Prompt(request)), model=MODEL, sent=_sent(request))


def _sent(request: Request) -> dict[str, object]:
    search = request.search
    tools = [{"name": "web_search", "max_uses": search.uses}] if search.wanted else []
    return {"model": MODEL, "tools": tools, "schema": request.schema.__name__ if request.schema else None}


def _program() -> Program:
    script = str(Path(__file__).parent / "agent.py")
    return Program([sys.executable, "-I", "-S", script], called=MODEL)


PROVIDER = DemoProvider()
AGENT = AgentProvider("demo", lambda: PROVIDER.label, _program)
