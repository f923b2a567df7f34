"""Starting costs nothing that only some calls need."""

import subprocess
import sys

SCRIPT = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
import config.urls, generation.tasks
from generation.flows import flow
flow("item")
print(*sorted({"pint", "anthropic", "allauth", "jwt", "requests"} & set(sys.modules)))
"""


def test_heavy_modules_are_imported_at_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
