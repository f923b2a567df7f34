"""What a flow is: its record, its stages, and the functions that the pipeline calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

if TYPE_CHECKING:
    from generation.judges.base import Judged
    from generation.models import Draft
    from generation.work import Work

Finding = dict[str, str]  # {"field": JSON pointer, "code", "severity": "error" | "warning", "detail"}


@dataclass(frozen=True)
class Stage:
    """One prompted step. answer: the JSON that it gives, or None for plain text."""

    name: str
    label: str
    answer: type[BaseModel] | None = None
    required: tuple[str, ...] = ()  # placeholders without which its prompt makes no sense
    judges: bool = False  # asked with the judge's model
    searches: bool = False  # may search the web
    deterministic: bool = False  # the same question shall get the same answer, as far as the model allows
    role: str = ""  # of the agent program in this stage; it ends its argv
    agent: bool = False  # always answered by the agent program, whatever the run's provider
    on_guidance: bool = False  # guidance may have it run: who must not know the prompts is not told that it did
    prompt_file: str = ""  # "developer": FOLDBACK_DEVELOPER_PROMPT or --developer-prompt may replace its prompt


@dataclass(frozen=True)
class LoopPolicy:
    """How a flow's loop ends, as data.

    fixes: at most so many per round, hence up to fixes + 1 judgements.
    exhausted: the status of a run whose last allowed judgement failed.
    unavailable: what a judge that could not judge means: "escalate" to a person at once, "spend_cycle"
    (judged again without a correction, escalated when the cycles are used up), or "fail" at once.
    review: whether the judge is asked where neither the request nor FOLDBACK_REVIEW says.
    """

    fixes: int
    exhausted: Literal["needs_human_review", "failed"]
    unavailable: Literal["escalate", "spend_cycle", "fail"]
    review: bool = True


@dataclass(frozen=True)
class Made:
    """A record that a flow made and validated, ready to be stored as a draft."""

    content: dict[str, Any]
    made_by: str
    findings: list[Finding] = field(default_factory=list)


class NoDraft(Exception):
    """The flow could make no draft; code and detail say why."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}")


class Stopped(Exception):
    """There is nothing to do: the run ends as stopped, and the queued ones of its batch with it."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}")


@dataclass(frozen=True)
class Trouble:
    """Something that a person must look at, although a draft could be made."""

    code: str
    detail: str


def no_queries(source: Mapping[str, Any]) -> tuple[str, ...]:
    """Of a flow whose sources name no searches."""
    return ()


def nothing_first(work: "Work") -> Trouble | None:
    """Of a flow that begins with its first draft."""
    return None


def never(work: "Work") -> str:
    """No reason to skip the judge."""
    return ""


def no_repository(source: Mapping[str, Any]) -> str:
    """Of a flow that works in none."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Flow:
    """One kind of runs.

    prepare: runs before the loop (once per round), e.g. to find the subcategory.
    make: the round's next draft, from the last draft and the judgement that it failed; NoDraft.
    judge: what the automated judge says of a draft. Both ask through `Work` and never write.
    influence: a dotted path to what learning says to the stages (a tuple of `learning.influence.Line`), of flows
    that do not come with the application; read by learning alone.
    skips: why the judge is not asked for a run, "" where it is. repository_of: the registered repository that a
    source names. render_draft: a draft as prompts show it, where JSON would not do.
    words: signal of a review → what the form calls it and asks, where items' words do not fit.
    sourced: JSON pointers, `*` for any part of one, of the values that ought to stand in the source word by
    word; reviewers are told of those that do not. correctable: pointers, likewise, of the values that a reviewer
    may correct in place.
    """

    name: str
    label: str
    record: type[BaseModel]
    source: type[BaseModel]
    stages: Mapping[str, Stage]
    policy: LoopPolicy
    judge_kind: str
    folder: Path  # prompts/<stage>.md and example.json
    title_of: Callable[[Mapping[str, Any]], str]
    render_source: Callable[[Mapping[str, Any]], str]
    search_queries: Callable[[Mapping[str, Any]], tuple[str, ...]] = no_queries
    prepare: Callable[["Work"], Trouble | None] = nothing_first
    make: Callable[["Work", "Draft | None", "Judged | None"], Made]
    judge: Callable[["Work", "Draft"], "Judged"]
    influence: str = ""
    skips: Callable[["Work"], str] = never
    repository_of: Callable[[Mapping[str, Any]], str] = no_repository
    render_draft: Callable[[Mapping[str, Any], list[Finding]], str] | None = None
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    sourced: tuple[str, ...] = ("*",)
    correctable: tuple[str, ...] = ("*",)
