"""What every admin of ours shares: typed at check time, plain Django at run time."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import models
from django.http import HttpRequest
from django.utils.functional import Promise

from generation.flows import label_of

M = TypeVar("M", bound=models.Model)

if TYPE_CHECKING:

    class Admin(admin.ModelAdmin[M]): ...

    class Inline(admin.TabularInline[Any, M]): ...

else:

    class Admin(admin.ModelAdmin):
        """`Admin[Run]`: Django's own class takes no parameter at run time."""

        show_full_result_count = False  # two counts per list are one too many
        list_per_page = 50
        show_facets = admin.ShowFacets.NEVER

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


class FlowFilter(admin.AllValuesFieldListFilter):
    """Flows by their labels."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": label_of(str(choice["display"]))}


class NeverWritten:
    """Shown, never written: neither added nor changed nor deleted here, whoever asks."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
