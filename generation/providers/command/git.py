"""git, asked so that nothing in a repository or a worktree makes it run a program: no hooks, no filters."""

import os
import subprocess
from pathlib import Path

SECONDS = 120
CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "core.autocrlf": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "safe.directory": "*",  # an admin registered it, whoever owns its folder
    "protocol.allow": "never",
    "gc.auto": "0",
    "submodule.recurse": "false",
    "diff.renameLimit": "1000",
    "init.defaultBranch": "main",
}
OPTIONS = [part for name, value in CONFIG.items() for part in ("-c", f"{name}={value}")]
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_AUTHOR_NAME": "Foldback",
    "GIT_AUTHOR_EMAIL": "foldback@localhost",
    "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Foldback",
    "GIT_COMMITTER_EMAIL": "foldback@localhost",
    "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    "HOME": os.devnull,
    "LC_ALL": "C",
}


class GitError(Exception):
    """git refused, is not there, or took too long; the text says which."""


def git(*arguments: str, at: Path, git_dir: Path | None = None, input: bytes | None = None) -> bytes:
    """What git writes. at: the folder that it works in. Raises GitError."""
    command = ["git", *OPTIONS]
    if git_dir is not None:
        command += [f"--git-dir={git_dir}", f"--work-tree={at}"]
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=at,
            env={"PATH": os.environ.get("PATH", os.defpath), **QUIET},
            input=b"" if input is None else input,
            capture_output=True,
            timeout=SECONDS,
        )
    except FileNotFoundError:
        missing = at if not at.is_dir() else "git"
        raise GitError(f"there is no {missing}") from None
    except OSError as error:
        raise GitError(f"{type(error).__name__} at {at}") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} took longer than {SECONDS} seconds") from None
    if done.returncode:
        raise GitError(_first_line(done.stderr) or f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout


def _first_line(text: bytes) -> str:
    return text.decode(errors="replace").strip().partition("\n")[0][:300]
