"""The README's commands do what it says, on a real installation."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.config.conftest import ROOT, Installation

README = (ROOT / "README.md").read_text()


def test_the_path_with_curl_works_as_written(installation: Installation) -> None:
    script = re.search(r"<!-- run by tests/config/test_readme.py -->\n```bash\n(.*?)```", README, re.DOTALL)
    assert script, "the README lost its marked block"
    process = installation.start(FOLDBACK_DEMO="1")
    installation.wait_until_ready(process)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script[1]],
        cwd=ROOT,
        env={**installation.environment, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    process.terminate()
    process.communicate(timeout=90)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    answers = done.stdout
    assert "'name': 'Nordwind ND 18'" in answers  # the record
    assert '"decision": "reject"' in answers  # the review event
    triggers = json.loads(next(line for line in answers.splitlines() if "bad_format_trigger" in line))
    assert triggers["subcategory"] == "cordless-drills"
    assert "<source>" in answers or "Make the record" in answers  # the resolved prompt


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
