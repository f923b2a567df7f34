"""A run's stages in a terminal: the newest line drawn in place, plain finished lines where nobody looks on."""

import shutil
from datetime import datetime

from django.core.management.base import OutputWrapper

from generation import timeline
from generation.durations import took
from generation.judges.base import UNUSABLE
from generation.models import Judgement, Run
from generation.money import dollars
from generation.reasons import plain
from generation.timeline import Row
from generation.verdicts import short

SIGNS = {"running": "→", "done": "✓", "failed": "✗", "lost": "?", "stopped": "■", "waiting": "…", "waited": "…"}


class Lines:
    """Writes a line per stage, judging and wait."""

    def __init__(self, out: OutputWrapper) -> None:
        self.out = out
        self.written: set[tuple[object, ...]] = set()  # the rows that are done with

    def show(self, run: Run) -> None:
        """What is new. A row is done with when the next one has begun, or the run is over.

        Where nobody looks on, a wait is told as it begins, and its end not at all.
        """
        rows, _newest, now = timeline.read(run)
        live = self.out.isatty()
        for at, row in enumerate(rows, 1):
            known = (*row.key, row.badge, row.began)
            if known in self.written:
                continue
            if at < len(rows) or not run.is_in_progress or (row.state == "waiting" and not live):
                self._write(line(row, now), "\n")
                self.written.add(known)
            elif live:
                self._write(line(row, now)[: shutil.get_terminal_size().columns - 1], "")

    def clear(self) -> None:
        """Make room for another line."""
        if self.out.isatty():
            self._write("", "")

    def _write(self, text: str, ending: str) -> None:
        start = "\r\x1b[K" if self.out.isatty() else ""
        self.out.write(start + text, style_func=str, ending=ending)
        self.out.flush()


def line(row: Row, now: datetime) -> str:
    """One row: sign, stage, badge with its attempt, length, tokens, and what became of it."""
    name = "wait" if row.is_wait else f"{row.node} [{row.badge} {row.attempt}]" if row.badge else row.node
    began = row.state == "waiting" and row.took(now) < timeline.SHORTEST_WAIT
    said = ["" if began else took(row.took(now)), *_figures(row), _became(row)]
    if row.round > 1:
        said.insert(0, f"round {row.round}")
    if row.state == "waiting" and row.until is not None:
        said.append(f"again in {took(row.until - now)}")
    return f"{_sign(row)} {name:<24} {', '.join(part for part in said if part)}".rstrip()


def _sign(row: Row) -> str:
    """A judging is done well where it passed the record, and never where the judge could not judge."""
    if row.is_unjudged:
        return SIGNS["lost"]
    return "↩" if row.verdict == Judgement.Outcome.FAILED else SIGNS[row.state]


def _figures(row: Row) -> list[str]:
    call = row.call
    if call is None:
        return []
    read = call.input_tokens + call.cache_read_tokens + call.cache_write_tokens
    tokens = f"{read:,} tokens in, {call.output_tokens:,} out" if read or call.output_tokens else ""
    return [tokens, dollars(call.cost_usd) if call.cost_usd else ""]


def _became(row: Row) -> str:
    if row.verdict:
        return short(row.verdict, row.why)
    if row.unused:
        return plain(UNUSABLE)
    if row.reason:
        return plain(row.reason)
    return {"lost": "its worker ended without a word", "stopped": "stopped here"}.get(row.state, "")
