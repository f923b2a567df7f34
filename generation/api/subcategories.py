"""Subcategories as bodies and addresses name them."""

from django.utils.translation import gettext as _

from generation.errors import BadInput
from generation.models import Subcategory


def by_slug(slug: str, pointer: str) -> Subcategory:
    """The subcategory that a body names; BadInput where there is none."""
    found = Subcategory.objects.select_related("category").filter(slug=slug).first()
    if found is None:
        raise BadInput.at(pointer, _("There is no subcategory {slug}.").format(slug=repr(slug)))
    return found
