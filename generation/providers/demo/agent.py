"""The demo's agent program: fixed rules, no AI. It makes small changes, and mistakes, and mends what it is told.

A program of its own, run by path with the standard library alone: its role ends its argv, its prompt stands on
standard input, and the folder that it is started in is its worktree. A work item's description gives it facts, a
line each: `file: shop/basket.py`, `most lines: 20`. It writes them as constants, with a test and a log's line.
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

BLOCK = re.compile(r"<(source|draft|feedback)>\n?(.*?)\n?</\1>", re.DOTALL)
QUOTE = re.compile(r"<quote-[^>]*>\n?(.*?)</quote-", re.DOTALL)
FACT = re.compile(r"^([A-Za-z][\w .-]{0,40}): (\S.*)$", re.MULTILINE)
NO_FACTS = frozenset({"work item", "title", "status", "priority", "repository", "file", "instructions"})
LOG = "CHANGELOG.md"

# Share of first attempts, without guidance, that have the mistake; of those, the share that guidance prevents.
RATES = {"untested": 0.35, "debugging": 0.2, "wrong": 0.25, "wide": 0.25, "stub": 0.08}
CURE_RATE = 0.8
MENDING_RATE = 0.9  # of the mistakes that feedback names, the share that one fix mends
TELLING = {
    "untested": re.compile(r"\bdo these first\b[^<]*<quote[^>]*>[^<]*\btest", re.IGNORECASE),
    "debugging": re.compile(r"\bconventions\b", re.IGNORECASE),
    "wrong": re.compile(r"\bverify\b", re.IGNORECASE),
    "wide": re.compile(r"\bscope\b", re.IGNORECASE),
    "stub": re.compile(r"\bread further\b", re.IGNORECASE),
}
REMARKS = {
    "untested": re.compile(r"\btests?\b|\buntested\b", re.IGNORECASE),
    "debugging": re.compile(r"\bdebug\w*|\bprint\b|\bstyle\b", re.IGNORECASE),
    "wrong": re.compile(r"\bwrong\b|\bshould be\b|\bwork item says\b", re.IGNORECASE),
    "wide": re.compile(r"\boutside\b|\bunrelated\b|\bscope\b|\bput it back\b", re.IGNORECASE),
    "stub": re.compile(r"\bnot done\b|\bmissing\b|\bTODO\b", re.IGNORECASE),
}


def falls(rate: float, *what: str) -> bool:
    """Decided by the words alone: the same work item has the same fate on every machine."""
    digest = sha256("\x1f".join(what).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:7]) / 256**7 < rate


class Item:
    """A work item, read off a prompt's source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.facts = {name.strip().lower(): value.strip() for name, value in FACT.findall(source)}
        self.name = self.facts.get("work item", "").removeprefix("none was picked")
        self.title = self.facts.get("title") or "Change"
        given = Path(self.facts.get("file", ""))
        inside = given.suffix == ".py" and not given.is_absolute() and ".." not in given.parts
        self.file = given if inside else Path(f"{_word(self.title).lower()}.py")
        self.test = Path("tests") / f"test_{self.file.stem}.py"

    @property
    def constants(self) -> dict[str, str]:
        """Name → the value as Python writes it."""
        listed = {_word(name): value for name, value in self.facts.items() if name not in NO_FACTS}
        return {name: _literal(value) for name, value in listed.items()} or {"DONE": "True"}

    @property
    def files(self) -> set[str]:
        """What a change for it has to touch."""
        return {str(self.file), str(self.test), LOG}


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_").upper()[:40] or "DONE"


def _literal(value: str) -> str:
    return value if re.fullmatch(r"-?\d+(\.\d+)?", value) else repr(value)


def mistakes(prompt: str, item: Item) -> set[str]:
    """Those of a first attempt: what its fate has in store, without what guidance prevents."""
    words = BLOCK.sub("", prompt)
    tempted = {fault for fault, rate in RATES.items() if falls(rate, item.source, fault)}
    warned = {fault for fault in tempted if TELLING[fault].search(words)}
    return tempted - {fault for fault in warned if falls(CURE_RATE, item.source, "cure", fault)}


def written(item: Item, faults: set[str]) -> dict[str, str]:
    """Path → text of the files as an attempt with these mistakes leaves them."""
    constants = item.constants
    texts = {str(item.file): _module(item, constants, faults), LOG: _log(item)}
    if "untested" not in faults:
        texts[str(item.test)] = _tests(item, constants)
    if "wide" in faults:
        texts["README.md"] = "\n".join(line.rstrip() for line in _text("README.md").splitlines()).upper() + "\n"
    return texts


def _module(item: Item, constants: Mapping[str, str], faults: set[str]) -> str:
    lines = _text(item.file).splitlines() or [f'"""{item.title}."""', ""]
    if "stub" in faults:
        return "\n".join([*lines, f"# TODO: {item.title}", ""])
    figures = [name for name, value in constants.items() if value[-1:].isdigit()]
    wrong = figures[0] if figures and "wrong" in faults else ""
    for name, value in constants.items():
        line = f"{name} = {value}0" if name == wrong else f"{name} = {value}"
        at = next((number for number, old in enumerate(lines) if re.match(rf"{name} = ", old)), None)
        if at is None:
            lines.append(line)
        else:
            lines[at] = line
    if "debugging" in faults:
        lines += ["", f'print("DEBUG", {next(iter(constants))})']
    return "\n".join([*lines, ""])


def _tests(item: Item, constants: Mapping[str, str]) -> str:
    module = ".".join(item.file.with_suffix("").parts)
    head = [f"from {module} import {', '.join(sorted(constants))}", "", ""]
    asserts = [f"    assert {name} == {value}" for name, value in constants.items()]
    return "\n".join([*head, f"def test_{_word(item.title).lower()}():", *asserts, ""])


def _log(item: Item) -> str:
    entry = f"- {item.title}" + (f" ({item.name})" if item.name else "")
    lines = _text(LOG).splitlines() or ["# Changes", ""]
    return "\n".join([*lines, *([] if entry in lines else [entry]), ""])


def _text(path: Path | str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def implement(prompt: str, item: Item) -> str:
    faults = mistakes(prompt, item)
    if "<draft>" in prompt:  # a person sent it back
        remarks = "\n".join(QUOTE.findall(prompt))
        faults -= {fault for fault in faults if REMARKS[fault].search(remarks)}
        _mend(item, set(RATES) - faults)
    _write(written(item, faults))
    told = "Nothing was tested." if "untested" in faults else f"Tests of it are in {item.test}."
    return f"{item.title}: set {', '.join(item.constants)} in {item.file}. {told}"


def fix(prompt: str, item: Item, feedback: str) -> str:
    """Mend what the feedback names, as far as it is understood."""
    named = {fault for fault, pattern in REMARKS.items() if pattern.search(feedback)}
    mended = {fault for fault in named if falls(MENDING_RATE, prompt, fault)}
    _mend(item, mended)
    return f"Mended: {', '.join(sorted(mended)) or 'nothing that I understood'}."


def _mend(item: Item, mended: set[str]) -> None:
    if {"wrong", "debugging", "stub"} & mended:
        lines = [line for line in _text(item.file).splitlines() if not re.match(r"print\(|# TODO", line)]
        item.file.write_text("\n".join(lines).rstrip() + "\n" if lines else "", encoding="utf-8")
        _write({str(item.file): _module(item, item.constants, set())})
    if "untested" in mended:
        _write({str(item.test): _tests(item, item.constants)})
    if "wide" in mended:
        subprocess.run(["git", "checkout", "--quiet", "HEAD", "--", "README.md"], check=False)


def _write(texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")


def main() -> None:
    prompt, role = sys.stdin.read(), sys.argv[-1]
    blocks = dict(reversed([(found[1], found[2]) for found in BLOCK.finditer(prompt)]))
    item = Item(blocks.get("source", ""))
    answer = fix(prompt, item, blocks.get("feedback", "")) if role == "fixer" else implement(prompt, item)
    sys.stdout.write(answer + "\n")


if __name__ == "__main__":
    main()
