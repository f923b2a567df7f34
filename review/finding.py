"""Finding runs: a view's runs in its order, narrowed by filters, a page by key; and how many there are.

Nothing here reads a whole history. What an index answers is read off it. Other filters are looked for in two
ways: in a window of the view's next runs, which finds what is frequent; and where that gives no full page, from
the filter's own side, which finds what is rare. Where neither is enough the page says where it stopped, and goes
on from there. Of words the database's statistics tell which of the two it is.
"""

import json
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import search
from generation.arrays import one_of
from generation.blind import shown_outcome
from generation.errors import BadInput
from generation.keyset import behind, turned, up_to
from generation.models import Institution, Run, Status, Subcategory
from generation.models.run import QUEUE_ORDER, RunQuerySet
from review.filters import Filters, moment
from review.models import Assignment, Claim, ReviewEvent, Tally

WINDOW = 1000  # runs of a view that a page looks at, where no index answers its filters
WORDS_WINDOW = 10_000  # the same where all that is asked for are words: their own table has the order
MOST_COUNTED = 1000
SURELY = 3  # times as many as are counted: a sample of 30,000 that says so is not wrong by that much
COUNT_WINDOW = 5000  # runs that a count looks at
NEWEST = ("-created_at", "-id")
CHANGED = ("-changed_at", "-id")
ORDERS = {"waiting": QUEUE_ORDER, "aside": CHANGED, "progress": NEWEST, "failed": CHANGED, "all": NEWEST}
LOOKED_UP = (
    "reviewer",
    "text",
)  # filters by a table beside the runs', asked for all runs of a window at once
TALLIED = {"waiting": "waiting", "progress": "progress", "failed": "without_record"}


@dataclass(frozen=True)
class Found:
    ids: list[UUID]
    next_cursor: str  # empty: this was all
    looked_at: int = 0  # runs of the view that were looked at, where that was not all and the page is not full


@dataclass(frozen=True)
class Count:
    number: int
    is_least: bool = False  # there may be more

    def __str__(self) -> str:
        return f"{self.number:,}+" if self.is_least else f"{self.number:,}"


@dataclass(frozen=True)
class Rare:
    """The runs of the filter `by`, which are few."""

    by: str
    ids: list[UUID]


class Finder:
    """The runs of one view and its filters, for one person ("me")."""

    def __init__(self, filters: Filters, person: User, view: str = "") -> None:
        """view: another one than the filters name."""
        self.filters = replace(filters, view=view) if view else filters
        self.person = person
        self.order = ORDERS[self.filters.view]

    def page(self, limit: int, cursor: str = "") -> Found:
        """The ids of the next `limit` runs. BadInput for a cursor of another list."""
        key = self._read(cursor) if cursor else ()
        if self._asks_for_words_alone:
            return self._by_words(limit, key)
        runs = self.base.filter(behind(self.order, key)) if key else self.base
        if not self.others:
            return self._whole(runs, limit)
        if "text" in self.others and self.rare is not None:
            return self._of_rare(runs, limit)
        end = self._end(runs, WINDOW)
        found = self._inside(runs.filter(up_to(self.order, end)) if end else runs, limit)
        if found.next_cursor or end is None:
            return found
        if self.rare is not None:
            return self._of_rare(runs, limit)
        return Found(found.ids, self._cursor(end), WINDOW)

    def count(self, only: Q | None = None) -> Count:
        """Exact where the tallies or an index have it, and up to 1,000; else what was seen so far.

        only: those of the runs of which this holds; it is counted in the same way.
        """
        tallied = self._tallied() if only is None else None
        if tallied is not None:
            return Count(tallied)
        if self._asks_for_words_alone and only is None:
            return Count(MOST_COUNTED, True) if self._few_texts is None else Count(len(self._few_texts))
        runs, all_seen, left = self.base, True, self.others
        if self.others or only is not None:
            if self.rare is not None:
                runs, left = runs.filter(one_of("id", self.rare.ids)), _without(left, self.rare.by)
            elif end := self._end(runs, COUNT_WINDOW):
                runs, all_seen = runs.filter(up_to(self.order, end)), False
        number = self._counted(runs, left, only or Q())
        return Count(min(number, MOST_COUNTED), number > MOST_COUNTED or not all_seen)

    def around(self, key: tuple[Any, ...]) -> tuple[Count, UUID | None, UUID | None]:
        """Of the run with this key in the list's order: how many stand before it, and its neighbours."""
        before, after = self._beyond(key, turned(self.order)), self._beyond(key, self.order)
        previous, following = before.page(1).ids, after.page(1).ids
        return before.count(Q()), next(iter(previous), None), next(iter(following), None)

    def _beyond(self, key: tuple[Any, ...], order: tuple[str, ...]) -> "Finder":
        """The same filters over the runs that come after this key in that order."""
        base, beyond = self.base.filter(behind(order, key)), copy(self)
        beyond.order, beyond.base = order, base
        return beyond

    def _counted(self, runs: RunQuerySet, left: dict[str, Q], only: Q) -> int:
        """How many of `runs` the filters that are left find, up to one more than is counted."""
        looked_up = [name for name in LOOKED_UP if name in left]
        runs = runs.filter(_all(_without(left, *looked_up).values()) & only)
        if not looked_up:
            return runs.order_by(*self.order)[: MOST_COUNTED + 1].count()
        ids: QuerySet[Any, UUID] = runs.order_by().values_list("pk", flat=True)
        for name in looked_up:
            ids = self._having(name, ids)
        return ids[: MOST_COUNTED + 1].count()

    def _having(self, name: str, ids: "Sequence[UUID] | QuerySet[Any, UUID]") -> "QuerySet[Any, UUID]":
        """Those of these runs that a filter finds in a table beside theirs, each once."""
        if name == "text":
            return search.found(self.filters.text).filter(one_of("run", ids)).values_list("run_id", flat=True)
        reviews = self._reviews_of(self.filters.reviewer).filter(one_of("run", ids))
        return reviews.order_by().values_list("run_id", flat=True).distinct()

    @cached_property
    def base(self) -> RunQuerySet:
        """The view's runs in what an index holds in its order: one of the filters at most."""
        return _of_view(self.filters.view).filter(self._parts[0])

    @cached_property
    def condition(self) -> Q:
        """All other filters."""
        return _all(self.others.values())

    @property
    def everything(self) -> Q:
        """All filters, but not the view."""
        return self._parts[0] & self.condition

    @property
    def others(self) -> dict[str, Q]:
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[Q, dict[str, Q]]:
        parts = {name: self._condition(name, value) for name, value in self.filters.set()}
        indexed = Q()
        by_time = self.order == NEWEST
        for name in ("after", "before"):
            if by_time and name in parts:
                indexed &= parts.pop(name)
        for name in _INDEXED.get(self.filters.view, ()):
            if name in parts:
                indexed &= parts.pop(name)
                break
        return indexed, parts

    @cached_property
    def rare(self) -> "Rare | None":
        """All runs of a filter that has few of them, in any view; None where each has many."""
        for name, value in self.filters.set():
            if name == "text":
                if (few := self._few_texts) is not None:
                    return Rare(name, [run_id for _at, run_id in few])
                continue
            found = self._own(name, value)
            if found is not None:
                ids = list(found[: MOST_COUNTED + 1])
                if len(ids) <= MOST_COUNTED:
                    return Rare(name, ids)
        return None

    @cached_property
    def _few_texts(self) -> list[search.Key] | None:
        """All texts with the words that are asked for, newest first; None where they are many."""
        if search.at_least(self.filters.text) > SURELY * MOST_COUNTED:
            return None
        found = search.found(self.filters.text).values_list("created_at", "run_id")
        keys = list(found[: MOST_COUNTED + 1])
        return sorted(keys, reverse=True) if len(keys) <= MOST_COUNTED else None

    def _of_rare(self, runs: RunQuerySet, limit: int) -> Found:
        assert self.rare is not None
        found = runs.filter(one_of("id", self.rare.ids))
        return self._whole(found.filter(_all(_without(self.others, self.rare.by).values())), limit)

    def _inside(self, runs: RunQuerySet, limit: int) -> Found:
        """Those of a window."""
        looked_up = [name for name in LOOKED_UP if name in self.others]
        if not looked_up:
            return self._whole(runs.filter(self.condition), limit)
        narrowed = runs.filter(_all(_without(self.others, *looked_up).values()))
        keys = list(narrowed.order_by(*self.order).values_list(*_names(self.order)))
        for name in looked_up:
            have = set(self._having(name, [key[-1] for key in keys]))
            keys = [key for key in keys if key[-1] in have]
        return self._cut(keys, limit)

    @property
    def _asks_for_words_alone(self) -> bool:
        return self.filters.view == "all" and [name for name, _value in self.filters.set()] == ["text"]

    def _by_words(self, limit: int, key: tuple[Any, ...]) -> Found:
        """A page of all runs that have these words, newest first, without reading any run."""
        if (few := self._few_texts) is not None:
            return self._cut([one for one in few if not key or one < key], limit)
        keys = search.following(self.filters.text, key, look=WORDS_WINDOW, limit=limit + 1)
        found = self._cut(keys, limit)
        end = None if found.next_cursor else search.end(key, WORDS_WINDOW)
        return Found(found.ids, self._cursor(end), WORDS_WINDOW) if end else found

    def _own(self, name: str, value: str) -> "QuerySet[Any, UUID] | None":
        """The runs of one filter, off an index of its own."""
        if name == "batch":
            return Run.objects.filter(batch=UUID(value)).order_by().values_list("pk", flat=True)
        if name == "reviewer":
            return self._reviews_of(value).order_by().values_list("run_id", flat=True).distinct()
        if name == "holder" and value != "nobody":
            return self._held_by(value)
        if name == "institution":
            return Run.objects.filter(self._condition(name, value)).order_by().values_list("pk", flat=True)
        return None

    def _held_by(self, name: str) -> "QuerySet[Any, UUID]":
        person = self._person(name)
        claims = Claim.objects.filter(reviewer=person, expires_at__gt=Now()).order_by()
        kept = Assignment.objects.filter(person=person, until__gt=Now()).order_by()
        return claims.values_list("run_id", flat=True).union(kept.values_list("run_id", flat=True))

    def _condition(self, name: str, value: str) -> Q:
        if name in ("flow", "batch"):
            return Q(**{name: value})
        if name == "status":  # as it is shown: a filter tells no more than the row that it finds
            return Q(shown_status=value)
        if name == "outcome":
            return shown_outcome(value)
        if name == "subcategory":
            return Q(subcategory=Subcategory.objects.filter(slug=value).values_list("pk", flat=True).first() or 0)
        if name == "institution":
            return Q(institution=Institution.objects.filter(slug=value).values_list("pk", flat=True).first() or 0)
        if name in ("after", "before"):
            return Q(**{"created_at__gte" if name == "after" else "created_at__lt": moment(value)})
        if name == "text":
            return Q(Exists(search.found(value).filter(run=OuterRef("pk"))))
        if name == "reviewer":
            return Q(Exists(self._reviews_of(value).filter(run=OuterRef("pk"))))
        return self._holder(value)

    def _reviews_of(self, name: str) -> "QuerySet[ReviewEvent]":
        """Those that the one who asks may know of."""
        reviewer = self._person(name)
        reviews = ReviewEvent.objects.filter(reviewer=reviewer, kind="submitted")
        # One's own are read off their index alone.
        return reviews if reviewer == self.person.pk else reviews.visible_to(self.person)

    def _holder(self, value: str) -> Q:
        claims = Claim.objects.filter(run=OuterRef("pk"), expires_at__gt=Now())
        kept = Assignment.objects.filter(run=OuterRef("pk"), until__gt=Now())
        if value == "nobody":
            return ~Q(Exists(claims)) & ~Q(Exists(kept))
        person = self._person(value)
        return Q(Exists(claims.filter(reviewer=person))) | Q(Exists(kept.filter(person=person)))

    def _person(self, name: str) -> int:
        """The key of the person of this name; 0, which nobody has, where there is none."""
        if name == "me":
            return self.person.pk
        return User.objects.filter(username=name).values_list("pk", flat=True).first() or 0

    def _tallied(self) -> int | None:
        """Status × flow × subcategory, off the tallies; None for every other filter."""
        narrowed = dict(self.filters.set())
        of: dict[str, Any] = {}
        if flow := narrowed.pop("flow", ""):
            of["flow"] = flow
        if slug := narrowed.pop("subcategory", ""):
            of["subcategory_id"] = Subcategory.objects.filter(slug=slug).values_list("pk", flat=True).first() or 0
        if self.filters.view == "all":
            status = narrowed.pop("status", "")
            whats = [f"is {status}"] if status else [f"is {known}" for known in Status.values]
        else:
            whats = [TALLIED[self.filters.view]] if self.filters.view in TALLIED else []
        return sum(Tally.objects.totals(*whats, **of).values()) if whats and not narrowed else None

    def _whole(self, runs: RunQuerySet, limit: int) -> Found:
        return self._cut(list(runs.order_by(*self.order).values_list(*_names(self.order))[: limit + 1]), limit)

    def _cut(self, keys: Sequence[tuple[Any, ...]], limit: int) -> Found:
        cursor = self._cursor(keys[limit - 1]) if len(keys) > limit else ""
        return Found([key[-1] for key in keys[:limit]], cursor)

    def _end(self, runs: RunQuerySet, window: int) -> tuple[Any, ...] | None:
        """The key of the last run of the window; None where it holds all."""
        keys = runs.order_by(*self.order).values_list(*_names(self.order))
        return next(iter(keys[window - 1 : window]), None)

    def _cursor(self, key: tuple[Any, ...]) -> str:
        parts = [part.isoformat() if isinstance(part, datetime) else part for part in key]
        return signing.dumps(json.dumps([*parts[:-1], str(parts[-1])]), salt=f"list:{self.filters.view}")

    def _read(self, cursor: str) -> tuple[Any, ...]:
        try:
            *parts, at, run_id = json.loads(signing.loads(cursor, salt=f"list:{self.filters.view}"))
        except signing.BadSignature:
            raise BadInput.at("/cursor", _("Not a cursor of this list.")) from None
        return (*parts, datetime.fromisoformat(at), UUID(run_id))


# Of each view: the filters, the most selective first, of which an index has the view's order.
_INDEXED = {
    "waiting": ("subcategory", "flow"),
    "all": ("batch", "subcategory", "status"),
}


def _all(parts: Iterable[Q]) -> Q:
    condition = Q()
    for part in parts:
        condition &= part
    return condition


def _without(parts: dict[str, Q], *names: str) -> dict[str, Q]:
    return {name: part for name, part in parts.items() if name not in names}


def _names(order: tuple[str, ...]) -> list[str]:
    return [name.removeprefix("-") for name in order]


def _of_view(view: str) -> RunQuerySet:
    runs = Run.objects.all()
    if view == "waiting":
        return runs.up_for_review()
    if view == "aside":
        return runs.aside()
    if view == "progress":
        return runs.in_progress()
    return runs.without_record() if view == "failed" else runs
