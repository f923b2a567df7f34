"""Real examination questions, broken by program, and what the structural rules see of it.

`python -m tests.generation.question.broken` prints the figures that stand in docs/judges.md.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("FOLDBACK_TEST_DATA", REPOSITORY.parent / "shared" / "data")) / "medical_mcq"
SENTENCES = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"(])")
LETTERS = "ABCD"
Record = dict[str, Any]


def records(name: str) -> list[Record]:
    """The questions of a file as records: the last sentence is the stem, what stands before it the vignette."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_record(json.loads(line)) for line in lines]


def _record(row: dict[str, Any]) -> Record:
    *case, stem = SENTENCES.split(row["question"].strip().strip('"').strip())
    return {
        "vignette": " ".join(case),
        "stem": stem,
        "options": [
            {"text": text, "correct": letter == row["answer"], "explanation": ""}
            for letter, text in sorted(row["options"].items())
        ],
        "key": row["answer"],
        "explanation": row["explanation"],
    }


def key_dropped(record: Record) -> Record:
    return record | {"key": ""}


def key_swapped(record: Record) -> Record:
    """The key alone; the options say otherwise."""
    return record | {"key": _next(record)}


def key_swapped_everywhere(record: Record) -> Record:
    """Key and options agree on a wrong answer; only the explanation may know better."""
    key = _next(record)
    marked = [one | {"correct": LETTERS[place] == key} for place, one in enumerate(record["options"])]
    return record | {"key": key, "options": marked}


def _next(record: Record) -> str:
    return LETTERS[(LETTERS.index(record["key"]) + 1) % len(record["options"])]


def correct_twice(record: Record) -> Record:
    return record | {"options": [one | {"correct": True} for one in record["options"]]}


def option_doubled(record: Record) -> Record:
    """The correct option's text, spelled a little differently, in the place of the next."""
    options = [dict(one) for one in record["options"]]
    place = LETTERS.index(record["key"])
    options[(place + 1) % len(options)]["text"] = f" {options[place]['text'].upper()}."
    return record | {"options": options}


def option_lost(record: Record) -> Record:
    return record | {"options": record["options"][1:]}


def vignette_cut(record: Record) -> Record:
    return record | {"vignette": " ".join(record["vignette"].split()[:6])}


def vignette_halved(record: Record) -> Record:
    return record | {"vignette": record["vignette"][: len(record["vignette"]) // 2].strip()}


def stem_lost(record: Record) -> Record:
    """The vignette's first words in the place of the question."""
    return record | {"stem": " ".join(record["vignette"].split()[:6])}


@dataclass(frozen=True)
class Breakage:
    """codes: the rules of which one has to speak. of_cases: only where there is a vignette to break."""

    name: str
    breaks: Callable[[Record], Record]
    codes: tuple[str, ...]
    of_cases: bool = False


BREAKAGES = (
    Breakage("key dropped", key_dropped, ("wrong_key",)),
    Breakage("key swapped, options as they were", key_swapped, ("wrong_key",)),
    Breakage("key and options swapped: error", key_swapped_everywhere, ("explained_otherwise",)),
    Breakage(
        "key and options swapped: error or warning",
        key_swapped_everywhere,
        ("explained_otherwise", "explains_another"),
    ),
    Breakage("several options marked correct", correct_twice, ("correct_count",)),
    Breakage("an option doubled", option_doubled, ("doubled_option",)),
    Breakage("an option lost", option_lost, ("option_count",)),
    Breakage("vignette cut to six words", vignette_cut, ("short_vignette",), of_cases=True),
    Breakage("vignette cut in the middle: warning", vignette_halved, ("broken_off",), of_cases=True),
    Breakage("stem lost", stem_lost, ("no_question",), of_cases=True),
)


@dataclass(frozen=True)
class Figure:
    """caught of broken; and of the same questions unbroken, on how many the same rules speak."""

    name: str
    broken: int
    caught: int
    false_alarms: int

    def __str__(self) -> str:
        return (
            f"{self.name:45} {self.caught:5} of {self.broken:5} ({self.caught / self.broken:6.1%})   "
            f"false alarms {self.false_alarms:3} ({self.false_alarms / self.broken:.1%})"
        )


def figures(questions: list[Record], breakages: tuple[Breakage, ...] = BREAKAGES) -> Iterator[Figure]:
    for breakage in breakages:
        whole = [one for one in questions if one["vignette"] or not breakage.of_cases]
        caught = sum(_says(breakage.breaks(one), breakage.codes) for one in whole)
        yield Figure(breakage.name, len(whole), caught, sum(_says(one, breakage.codes) for one in whole))


def alarms(questions: list[Record], severity: str) -> Figure:
    """Unbroken cases on which any rule speaks but the one that asks for an explanation, where there is none."""
    from generation.flows.question.structure import CHECKS

    codes = tuple(one.code for one in CHECKS if one.severity == severity and one.code != "no_explanation")
    cases = [one for one in questions if one["vignette"]]
    count = sum(_says(one, codes) for one in cases)
    return Figure(f"unbroken cases with any {severity}", len(cases), count, count)


def _says(record: Record, codes: tuple[str, ...]) -> bool:
    from generation.flows.question.structure import CHECKS, problems  # after django.setup()

    return bool(problems(record, tuple(check for check in CHECKS if check.code in codes)))


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for name in ("medqa_us_test", "medmcqa_by_subject"):
        questions = records(name)
        cases = sum(bool(one["vignette"]) for one in questions)
        sys.stdout.write(f"\n{name}: {len(questions)} questions, {cases} with a case\n")
        for figure in figures(questions):
            sys.stdout.write(f"  {figure}\n")
        for severity in ("error", "warning"):
            sys.stdout.write(f"  {alarms(questions, severity)}\n")


if __name__ == "__main__":
    main()
