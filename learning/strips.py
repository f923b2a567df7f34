"""The strip of ten: a trigger's window as cells, oldest left, with what it counts and what it takes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy, ngettext

from generation.ids import short
from learning.triggers import MISSING_SPEC, Gauge, MissingField, Trigger, Triggers
from learning.window import SIZE, Window, WindowRun
from review.words import label, label_of_missing

# The triggers in the order that every page shows them; `review.words` has what each flow calls them.
TRIGGERS = (
    "wrong_physical_dimensions_trigger",
    MISSING_SPEC,
    "wrong_information_trigger",
    "bad_format_trigger",
    "information_present_low_trigger",
)
STATES = {
    "raised": gettext_lazy("raised"),
    "clear": gettext_lazy("not raised"),
    "unset": gettext_lazy("unset"),
}


@dataclass(frozen=True)
class Cell:
    """One run of the window in one strip; absent where fewer than ten runs were reviewed."""

    state: str  # raised, clear, unset, absent
    run_id: UUID | None = None
    title: str = ""
    reviewed_at: datetime | None = None
    is_new: bool = False

    @property
    def short_id(self) -> str:
        return short(self.run_id) if self.run_id else ""

    @property
    def says(self) -> str:
        return str(STATES.get(self.state, ""))


@dataclass(frozen=True)
class Strip:
    """A trigger or, in the matrix, one missing field of it. count and threshold: runs. weighed: the evidence,
    where the policy goes by that and not by the count."""

    name: str
    label: str
    on: bool
    count: int
    threshold: int
    reviewed: int
    cells: tuple[Cell, ...] = field(default_factory=tuple)
    weighed: Gauge | None = None

    @property
    def at(self) -> str:
        """How far it is from firing, in short."""
        if self.weighed is None:
            return gettext("at %d") % self.threshold
        return gettext("evidence %(level).1f of %(bound).1f") % {
            "level": self.weighed.level,
            "bound": self.weighed.bound,
        }

    @property
    def borrowed(self) -> str:
        """What of the evidence its category lent, in words; empty where nothing."""
        if self.weighed is None or not self.weighed.borrowed:
            return ""
        lent = {"lender": self.weighed.lender, "level": self.weighed.borrowed}
        return gettext("borrowed from %(lender)s: %(level).1f") % lent

    @property
    def percent(self) -> int:
        return round(100 * self.count / self.reviewed) if self.reviewed else 0

    @property
    def moved(self) -> bool:
        """Whether the run that is new raised it."""
        return any(cell.is_new and cell.state == "raised" for cell in self.cells)

    @property
    def gauge(self) -> str:
        """What the bar under the cells says, in words."""
        if self.weighed is not None:
            said = gettext("Evidence %.1f") % self.weighed.level
            bound = gettext("at %.1f it lets go") if self.on else gettext("%.1f switch it on")
            return ", ".join(filter(None, [said, bound % self.weighed.bound, self.borrowed]))
        raised = ngettext("%d run raised it", "%d runs raised it", self.count) % self.count
        return gettext("%(raised)s, %(threshold)d switch it on") % {"raised": raised, "threshold": self.threshold}


def strips(window: Window, triggers: Triggers, *, new: UUID | None = None) -> list[Strip]:
    """One strip per trigger; the one of missing fields shows the field that was missed most, of those that the run
    that is new names where it names any."""
    found = []
    newest = next((run for run in window.runs if run.run_id == new), None)
    for name in TRIGGERS:
        trigger = triggers[name]
        if name == MISSING_SPEC:
            named = (one for one in trigger.fields if newest and _names(newest, one, set(one.evidence)))
            missed = next(named, None) or next(iter(trigger.fields), None)
            found.append(_of_field(window, trigger, missed, new) if missed else _none(window, trigger))
        else:
            found.append(
                _strip(
                    window,
                    trigger,
                    label(window.flow, name),
                    trigger.fired,
                    trigger.count,
                    _flag(trigger.flag),
                    new,
                    trigger.gauge,
                )
            )
    return found


def matrix(window: Window, triggers: Triggers, *, fields: int = 4) -> list[Strip]:
    """A row per trigger, and for missing fields a row per field, at most so many."""
    rows = []
    for row in strips(window, triggers):
        if row.name != MISSING_SPEC:
            rows.append(row)
            continue
        trigger = triggers[MISSING_SPEC]
        rows += [_of_field(window, trigger, missed) for missed in trigger.fields[:fields]] or [row]
    return rows


def _flag(flag: str) -> Callable[[WindowRun], str]:
    def state(run: WindowRun) -> str:
        value = run.flags.get(flag)
        return "unset" if value is None else "raised" if value else "clear"

    return state


def _of_field(window: Window, trigger: Trigger, missed: MissingField, new: UUID | None = None) -> Strip:
    """Not naming a field is an answer too, so no cell of this strip is unset."""
    behind = set(missed.evidence)
    return _strip(
        window,
        trigger,
        label_of_missing(window.flow, missed.name),
        missed.fired,
        missed.count,
        lambda run: "raised" if _names(run, missed, behind) else "clear",
        new,
        missed.gauge,
    )


def _names(run: WindowRun, missed: MissingField, behind: set[int]) -> bool:
    """Whether the run's reviews named the field; where its key is not known, its evidence tells."""
    if missed.key:
        return any(missing.key == missed.key for missing in run.missing)
    return bool(behind & set(run.events))


def _none(window: Window, trigger: Trigger) -> Strip:
    return _strip(
        window, trigger, label(window.flow, MISSING_SPEC), False, 0, lambda run: "clear", None, trigger.gauge
    )


def _strip(
    window: Window,
    trigger: Trigger,
    name: str,
    on: bool,
    count: int,
    state: Callable[[WindowRun], str],
    new: UUID | None,
    weighed: Gauge | None,
) -> Strip:
    cells = [
        Cell(state(run), run.run_id, run.title, run.reviewed_at, is_new=run.run_id == new) for run in window.runs
    ]
    cells += [Cell("absent")] * (SIZE - len(cells))
    return Strip(trigger.name, name, on, count, trigger.threshold, window.reviewed, tuple(cells), weighed)
