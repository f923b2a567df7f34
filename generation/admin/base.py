"""What every admin of ours shares: typed at check time, plain Django at run time."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import models
from django.http import HttpRequest
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext_lazy as _

from generation.flows import FLOWS, label_of
from generation.money import dollars

M = TypeVar("M", bound=models.Model)


class UpTo(Paginator):  # type: ignore[type-arg]
    """Counts and pages the first thousand rows: no list of a million is counted, or read to its end."""

    bound = 1000

    @cached_property
    def count(self) -> int:
        return min(self._counted, self.bound)

    @property
    def is_cut(self) -> bool:
        return self._counted > self.bound

    @property
    def says(self) -> str:
        return f"{self.count:,}+" if self.is_cut else f"{self.count:,}"

    @cached_property
    def _counted(self) -> int:
        """One more than the bound where there are more."""
        found: int = self.object_list.order_by()[: self.bound + 1].count()  # type: ignore[attr-defined]
        return found


if TYPE_CHECKING:

    class Admin(admin.ModelAdmin[M]): ...

    class Inline(admin.TabularInline[Any, M]): ...

else:

    class Admin(admin.ModelAdmin):
        """`Admin[Run]`: Django's own class takes no parameter at run time."""

        show_full_result_count = False  # two counts per list are one too many
        paginator = UpTo
        list_per_page = 50
        show_facets = admin.ShowFacets.NEVER

        def get_action_choices(self, request, default_choices=None):
            return super().get_action_choices(request, default_choices or [("", _("Choose one"))])

        def __class_getitem__(cls, model):
            return cls

    class Inline(admin.TabularInline):
        extra = 0

        def __class_getitem__(cls, model):
            return cls


class FilledFilter(admin.EmptyFieldListFilter):
    """A filter by whether a field is filled, in words that say what that means."""

    words: tuple[Promise | str, Promise | str]  # where it is empty, where it is not

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        everything, empty, filled = super().choices(changelist)
        yield everything
        for choice, word in zip((empty, filled), self.words, strict=True):
            yield {**choice, "display": word}


class KnownFilter(admin.AllValuesFieldListFilter):
    """By the values that we know of, where Django would read a million rows for those that they hold."""

    known: Callable[[], Iterable[str]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lookup_choices = sorted(self.known())  # type: ignore[assignment]


class FlowFilter(KnownFilter):
    """Flows by their labels."""

    known = staticmethod(lambda: FLOWS)

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": label_of(str(choice["display"]))}


class HasCost(Protocol):
    cost_usd: Decimal


class InDollars:
    """`cost`, with its unit, for what has a `cost_usd`."""

    @admin.display(description=_("cost"), ordering="cost_usd")
    def cost(self, thing: HasCost) -> str:
        return dollars(thing.cost_usd)


class NeverWritten:
    """Shown, never written: neither added nor changed nor deleted here, whoever asks."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
