"""Where in a prompt a proposed text goes."""

from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext_lazy as _

from generation.models import PromptVersion
from generation.placeholders import own


class Place(models.TextChoices):
    GUIDANCE = "guidance", _("before the place of its guidance")
    SYSTEM = "system", _("at the end of the system prompt")


@dataclass(frozen=True)
class Texts:
    """The two texts of a version."""

    system: str
    user: str


def places(version: PromptVersion, stage: str) -> list[Place]:
    """Where it can go, the better one first: what guidance would say stands well where guidance says it."""
    hole = f"<<{own(stage)}>>"
    return [*([Place.GUIDANCE] if hole in version.user + version.system else []), Place.SYSTEM]


def placed(version: PromptVersion, stage: str, text: str, place: str) -> Texts:
    """The version's texts with the text as a paragraph of its own. A version without a place for guidance takes it
    into its system prompt, whatever was chosen."""
    hole = f"<<{own(stage)}>>"
    text = text.strip()
    if place == Place.GUIDANCE and hole in version.user:
        return Texts(version.system, _before(version.user, hole, text))
    if place == Place.GUIDANCE and hole in version.system:
        return Texts(_before(version.system, hole, text), version.user)
    return Texts("\n\n".join(filter(None, (version.system.rstrip(), text))), version.user)


def _before(whole: str, hole: str, text: str) -> str:
    """Above the line that holds the placeholder, with an empty line after it."""
    at = whole.rfind("\n", 0, whole.index(hole)) + 1
    return f"{whole[:at]}{text}\n\n{whole[at:]}"
