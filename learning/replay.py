"""The history again, event by event: what was reviewed so far at any of its points. Pure."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from learning.names import Synonyms
from learning.policies import policy
from learning.window import Window, WindowRun, read_run

Said = Mapping[str, Any]  # a review event as `learning.window` reads it
Key = tuple[datetime, int, UUID]


@dataclass(frozen=True)
class Act:
    """One event of the history as it reaches one subcategory.

    said: a review that counts. takes_back: the id of one that counts no longer. here: whether its run belongs to
    the subcategory from now on, None where that does not change.
    """

    at: datetime
    run_id: UUID
    said: Said | None = None
    takes_back: int | None = None
    here: bool | None = None


class Past(Sequence[WindowRun]):
    """The reviewed runs of one flow and subcategory, oldest first, as they stand after the acts so far.

    In the order of (time, id) of their last event that counts, as `learning.window` has them.
    """

    def __init__(self, synonyms: Synonyms) -> None:
        self._synonyms = synonyms
        self._said: dict[UUID, dict[int, Said]] = {}
        self._away: set[UUID] = set()
        self._order: list[Key] = []
        self._unguided: list[Key] = []  # those of them that carried no guidance of a window
        self._place: dict[UUID, Key] = {}
        self._read: dict[UUID, WindowRun] = {}

    def apply(self, act: Act) -> None:
        if act.said is not None:
            self._said.setdefault(act.run_id, {})[act.said["id"]] = act.said
        if act.takes_back is not None:
            self._said.get(act.run_id, {}).pop(act.takes_back, None)
        if act.here is not None:
            (self._away.discard if act.here else self._away.add)(act.run_id)
        self._put(act.run_id)

    def _put(self, run_id: UUID) -> None:
        """Take the run out of the order and put it where it belongs now."""
        before = self._place.pop(run_id, None)
        if before is not None:
            for order in (self._order, self._unguided):
                at = bisect_left(order, before)
                if order[at : at + 1] == [before]:
                    del order[at]
        self._read.pop(run_id, None)
        said = self._said.get(run_id)
        if said and run_id not in self._away:
            last = max((event["created_at"], event["id"]) for event in said.values())
            self._place[run_id] = (*last, run_id)
            insort(self._order, self._place[run_id])
            if not next(iter(said.values()))["guided_by"]:
                insort(self._unguided, self._place[run_id])

    def window(self, read_by: Window) -> Window:
        """The window as it stands, with all that its policy looks at."""
        look_back = policy(read_by.policy).look_back
        newest = self._order[-look_back.newest :]
        if look_back.unguided:
            newest = sorted({*newest, *self._unguided[-look_back.unguided :]})
        return read_by.over([self._run(run_id) for *_, run_id in newest])

    def _run(self, run_id: UUID) -> WindowRun:
        if run_id not in self._read:
            self._read[run_id] = read_said(list(self._said[run_id].values()), self._synonyms)
        return self._read[run_id]

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> WindowRun: ...
    @overload
    def __getitem__(self, index: slice) -> list[WindowRun]: ...
    def __getitem__(self, index: int | slice) -> WindowRun | list[WindowRun]:
        if isinstance(index, slice):
            return [self._run(run_id) for *_, run_id in self._order[index]]
        return self._run(self._order[index][-1])

    def __iter__(self) -> Iterator[WindowRun]:
        return (self._run(run_id) for *_, run_id in self._order)


def read_said(said: list[Said], synonyms: Synonyms) -> WindowRun:
    """One run's counting reviews, in whatever order they are given."""
    rows = sorted(said, key=lambda event: (event["created_at"], event["id"]))
    return read_run([{"title": "", "username": "", "last_reviewed_at": None, **row} for row in rows], synonyms)
