"""Real streams of flags: the human labels of FRANK (Pagnoni et al., NAACL 2021; MIT), by system and criterion.

The labels are as they were; that guidance would have prevented seven of eight is an assumption, as in the worlds.
"""

import csv
from collections import defaultdict
from pathlib import Path

from learning.study.world import WORTH, World

CRITERIA = ("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE")


def streams(file: Path) -> list[World]:
    """A world for each system and criterion, in the order of the articles' hashes."""
    said: dict[tuple[str, str], list[float]] = defaultdict(list)
    with file.open(newline="", encoding="utf-8") as rows:
        for row in sorted(csv.DictReader(rows), key=lambda row: (row["hash"], row["model_name"])):
            for criterion in CRITERIA:
                said[row["model_name"], criterion].append(float(float(row[criterion]) > 0))
    return [
        World(f"{system} {criterion}", flags, worth=sum(flags) / len(flags) >= WORTH)
        for (system, criterion), flags in sorted(said.items())
    ]
