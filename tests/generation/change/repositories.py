"""A real repository of a test."""

import subprocess
from pathlib import Path

from generation.models import Repository

FILES = {
    "README.md": "# Shop\n\nPrices and baskets.\n",
    "shop/prices.py": "RATE = 19\n\n\ndef gross(net):\n    return net * (100 + RATE) / 100\n",
    "shop/basket.py": "LIMIT = 10\n",
}
NOBODY = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "commit.gpgsign=false"]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *NOBODY, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit of these files."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in (FILES if files is None else files).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=begin")
    return folder


def registered(folder: Path, name: str = "shop", **fields: str) -> Repository:
    return Repository.objects.create(name=name, path=str(folder), **fields)
