"""The commands of docs/api.md do what it says, on a real installation."""

import json

from tests.config.conftest import Installation
from tests.config.scripts import run_block


def test_the_whole_loop_works_as_written(installation: Installation) -> None:
    told = run_block("docs/api.md", "tests/config/test_api_md.py", installation)
    lines = told.splitlines()
    assert "event: node_enter" in lines and '"node": "awaiting_review"' in told
    assert "'name': 'Nordwind ND 18'" in told  # the record
    assert "304" in lines
    assert '"decision": "approve"' in told and "undone" in lines
    triggers = json.loads(next(line for line in lines if "bad_format_trigger" in line))
    assert triggers["subcategory"] == "cordless-drills"
    assert "charging time" in told
    assert lines[-2:] == ["1", "approve"] or lines[-2] == "1", lines[-4:]
