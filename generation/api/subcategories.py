"""Subcategories as bodies and addresses name them."""

from django.utils.translation import gettext as _

from generation.errors import BadInput, shown
from generation.models import Subcategory


def by_slug(slug: str, pointer: str) -> Subcategory:
    """The subcategory that a body names; BadInput where there is none."""
    found = Subcategory.objects.select_related("category").filter(slug=slug).first()
    if found is None:
        raise BadInput.at(pointer, _unknown(slug))
    return found


def known_slug(slug: str) -> str:
    """The slug; ValueError where no subcategory has it. Empty is none."""
    if slug and not Subcategory.objects.filter(slug=slug).exists():
        raise ValueError(_unknown(slug))
    return slug


def _unknown(slug: str) -> str:
    return _("There is no subcategory {slug}.").format(slug=shown(slug))
