"""The reviewer of changes, by rules: what the demo's agent did wrong, as far as it happens to be seen."""

import json
import re

from generation.providers.demo.agent import TELLING, Item
from generation.providers.demo.faults import falls
from generation.providers.demo.prompt import Prompt

CATCH_RATE, GUIDED_CATCH_RATE = 0.65, 0.9
FILE = re.compile(
    r"^(?:added|modified|deleted|renamed) (.+?)(?: \(was .*\))?, (?:binary|\+\d+ -\d+)$", re.MULTILINE
)


def review(prompt: Prompt) -> str:
    """The verdict, after a preamble such as models write."""
    found = [
        text for fault, text in faults(prompt.source, prompt.block("draft")).items() if _is_seen(prompt, fault)
    ]
    told = {"verdict": "drift", "followUpPrompt": "\n".join(found)} if found else _PASS
    return f"I compared the diff with the work item.\n{json.dumps(told, ensure_ascii=False)}"


_PASS = {"verdict": "pass", "followUpPrompt": "The change does what the work item asks for."}


def _is_seen(prompt: Prompt, fault: str) -> bool:
    warned = TELLING[fault].search(prompt.instructions)
    return falls(GUIDED_CATCH_RATE if warned else CATCH_RATE, prompt.source, "reviewer", fault, prompt.turn)


def faults(source: str, draft: str) -> dict[str, str]:
    """Mistake → how a reviewer tells it, for a change as prompts show it."""
    item = Item(source)
    diff = _part(draft, "diff")
    files = set(FILE.findall(_part(draft, "files")))
    found = {}
    if str(item.test) not in files:
        found["untested"] = f"The change has no test: add {item.test}."
    if re.search(r"^\+print\(", diff, re.MULTILINE):
        found["debugging"] = f"A debugging print was left in {item.file}: take it out."
    if re.search(r"^\+# TODO", diff, re.MULTILINE):
        found["stub"] = f"It is not done: {item.file} has a TODO and no more."
    else:
        lines = set(re.findall(r"^[+ ](\w+ = .*)$", diff, re.MULTILINE))
        right = {name: f"{name} = {value}" for name, value in item.constants.items()}
        wrong = [f"{name} should be {item.constants[name]}" for name, line in right.items() if line not in lines]
        if wrong:
            found["wrong"] = f"The work item says otherwise: in {item.file}, {'; '.join(wrong)}."
    if outside := sorted(files - item.files):
        found["wide"] = f"{', '.join(outside)} is outside the work item: put it back."
    return found


def _part(draft: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", draft, re.DOTALL)
    return found.group(1) if found else ""
