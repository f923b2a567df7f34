"""The commands of a document, as it has them, run beside a real installation."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.config.conftest import ROOT, Installation


def run_block(document: str, test: str, installation: Installation) -> str:
    """What the block marked as run by `test` prints, on a fresh installation with its demo content."""
    marked = re.search(rf"<!-- run by {test} -->\n```bash\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert marked, f"{document} lost its marked block"
    process = installation.start(FOLDBACK_DEMO="1")
    installation.wait_until_ready(process)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", marked[1]],
        cwd=ROOT,
        env={**installation.environment, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    process.terminate()
    process.communicate(timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
