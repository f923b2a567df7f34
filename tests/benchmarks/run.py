"""`make bench`: every benchmark in turn, each on an empty database with the settings of an installation."""

import os
import subprocess
import sys
from pathlib import Path

from tests import postgres

HERE = Path(__file__).resolve().parent


def main() -> int:
    failed = 0
    for script in sorted(HERE.glob("bench_*.py")):
        postgres.start()
        try:
            module = f"tests.benchmarks.{script.stem}"
            environment = {**os.environ, "FOLDBACK_LOG_LEVEL": "ERROR"}
            failed += subprocess.run([sys.executable, "-m", module], env=environment).returncode != 0
        finally:
            postgres.stop()
    return failed


if __name__ == "__main__":
    sys.exit(main())
