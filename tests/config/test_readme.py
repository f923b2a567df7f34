"""The README's commands do what it says, on a real installation."""

import json
import re

from tests.config.conftest import ROOT, Installation
from tests.config.scripts import run_block

README = (ROOT / "README.md").read_text()


def test_the_path_with_curl_works_as_written(installation: Installation) -> None:
    answers = run_block("README.md", "tests/config/test_readme.py", installation)
    assert "'name': 'Nordwind ND 18'" in answers  # the record
    assert '"decision": "reject"' in answers  # the review event
    triggers = json.loads(next(line for line in answers.splitlines() if "bad_format_trigger" in line))
    assert triggers["subcategory"] == "cordless-drills"
    assert "<source>" in answers or "Make the record" in answers  # the resolved prompt


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
