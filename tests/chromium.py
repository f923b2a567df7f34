"""The browser tests' Chromium, Debian's own. `python -m tests.chromium` installs it where it is missing."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable() -> str | None:
    """The program that CHROMIUM names, else the first that PATH knows."""
    given = os.environ.get("CHROMIUM")
    if given:
        return shutil.which(given)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def install() -> None:
    """By apt-get, as root or with sudo; no question is ever asked."""
    root = [] if os.getuid() == 0 else ["sudo", "--non-interactive"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(
            [*root, "apt-get", "--quiet=2", *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"Chromium could not be installed ({' '.join(command)}):\n{done.stdout}{done.stderr}")


def main() -> None:
    if executable():
        return
    if os.environ.get("CHROMIUM"):
        sys.exit(f"CHROMIUM names no program: {os.environ['CHROMIUM']}")
    if not shutil.which("apt-get"):
        sys.exit("The browser tests need Chromium: install it, or name it in CHROMIUM.")
    sys.stderr.write("foldback: installing Chromium …\n")
    install()


if __name__ == "__main__":
    main()
