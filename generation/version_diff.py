"""Two versions of a prompt side by side: both texts, and model with parameters, as lines."""

import json
from dataclasses import dataclass
from functools import cached_property

from generation import line_diff
from generation.line_diff import Row
from generation.models import PromptVersion


@dataclass(frozen=True)
class VersionDiff:
    """before and after may be unsaved ones."""

    before: PromptVersion
    after: PromptVersion

    @cached_property
    def system(self) -> list[Row]:
        return line_diff.rows(self.before.system, self.after.system)

    @cached_property
    def user(self) -> list[Row]:
        return line_diff.rows(self.before.user, self.after.user)

    @cached_property
    def settings(self) -> list[Row]:
        return line_diff.rows(_settings(self.before), _settings(self.after))

    @property
    def is_empty(self) -> bool:
        return not (self.system or self.user or self.settings)

    @property
    def added(self) -> int:
        return self._count("added")

    @property
    def removed(self) -> int:
        return self._count("removed")

    def _count(self, kind: str) -> int:
        return sum(row.kind == kind for row in (*self.system, *self.user, *self.settings))


def _settings(version: PromptVersion) -> str:
    parameters = json.dumps(version.parameters, ensure_ascii=False, indent=1, sort_keys=True)
    return f"model: {version.model or '-'}\nparameters: {parameters}"
