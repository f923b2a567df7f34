"""How often the words for a value are found in real titles, and how often for a value that is not there.

The figures stand in docs/reviewing.md.
"""

import json
import random
import sys
from collections import defaultdict

import pytest

from review.matching import match, source_lines
from review.normalise import fold
from tests.review.product_titles import files

pytestmark = pytest.mark.skipif(not files(), reason="the ExtractGPT titles are not beside the project")


def found(value: str, title: str, name: str) -> bool:
    here = match(value, None, source_lines({"title": title}), label=name)
    return here is not None and not here.differs


def test_gold_values_are_found_and_others_are_not() -> None:
    titles = [json.loads(line) for path in files() for line in path.read_text("utf-8").splitlines()]
    gold = [
        (title["category"], name, value, title["title"])
        for title in titles
        for name, values in title["gold"].items()
        for value in values or ()
    ]
    others = defaultdict(list)
    for category, name, value, _title in gold:
        others[category, name].append(value)
    shared = sum(found(value, title, name) for _category, name, value, title in gold) / len(gold)
    draw = random.Random(1)
    foreign = [(draw.choice(others[category, name]), title, name) for category, name, _value, title in gold]
    absent = [one for one in foreign if fold(one[0]) not in fold(one[1])]
    mistaken = sum(found(*one) for one in absent) / len(absent)
    sys.stdout.write(f"{len(gold)} values, found {shared:.3f}; {len(absent)} of other titles, {mistaken:.3f}\n")
    assert shared >= 0.97
    assert mistaken <= 0.06
