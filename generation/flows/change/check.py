"""What can be seen in a change without understanding it."""

from collections.abc import Mapping
from typing import Any

from generation.flows.base import Finding
from generation.flows.change.record import Change

LARGE = 1000  # changed lines; more are hard to review at once


def check(change: Change, told: Mapping[str, Any]) -> list[Finding]:
    """Warnings alone: a person and the reviewer decide. told: what the worktree says beside the record."""
    found: list[Finding] = []
    if not change.files:
        found.append(_finding("/diff", "no_change", "the agent changed no file"))
    for index, file in enumerate(change.files):
        if file.is_binary:
            detail = f"{file.path} is binary: the diff does not show what is in it"
            found.append(_finding(f"/files/{index}", "binary_file", detail))
    for folder in told.get("inner") or ():
        detail = f"{folder} was made a repository of its own; its files are shown as files"
        found.append(_finding("/files", "inner_repository", detail))
    lines = sum((file.added or 0) + (file.removed or 0) for file in change.files)
    if lines > LARGE:
        found.append(_finding("/diff", "large_change", f"{lines} changed lines are hard to review at once"))
    return found


def _finding(field: str, code: str, detail: str) -> Finding:
    return {"field": field, "code": code, "severity": "warning", "detail": detail}
