"""Off switches: learning as a whole, or for one subcategory. A guidance text's own is its row's `enabled`."""

from django.contrib.auth.models import User
from django.db.models import Q

from learning.models import Switch


def is_off(subcategory_id: int | None) -> bool:
    """Whether learning is off here: as a whole, or for this subcategory."""
    return Switch.objects.filter(speaks_of(subcategory_id)).exists()


def switch_off(subcategory_id: int | None = None, *, by: User | None = None, why: str = "") -> None:
    """Off for a subcategory, or, without one, as a whole. Twice is once: the first reason stays."""
    Switch.objects.bulk_create([Switch(subcategory_id=subcategory_id, by=by, why=why)], ignore_conflicts=True)


def switch_on(subcategory_id: int | None = None) -> None:
    """On again for a subcategory, or as a whole. A subcategory stays off while learning as a whole is."""
    Switch.objects.filter(_exactly(subcategory_id)).delete()


def speaks_of(subcategory_id: int | None) -> Q:
    """The switches that silence a subcategory: its own and that of learning as a whole."""
    return _exactly(None) if subcategory_id is None else _exactly(None) | _exactly(subcategory_id)


def _exactly(subcategory_id: int | None) -> Q:
    return Q(subcategory__isnull=True) if subcategory_id is None else Q(subcategory=subcategory_id)
