"""Which policy is in force: what an admin chose last, else the setting FOLDBACK_POLICY."""

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from generation.errors import BadInput
from learning.models import PolicyChoice
from learning.policies import POLICIES

log = structlog.get_logger(__name__)


def in_force() -> str:
    newest = PolicyChoice.objects.first()
    return newest.policy if newest else str(settings.FOLDBACK_POLICY)


def choose(name: str, *, by: User | None, why: str) -> PolicyChoice:
    """From now on; what was generated before keeps its state. BadInput for a policy that does not exist."""
    if name not in POLICIES:
        raise BadInput.at("/policy", _("One of {known}.").format(known=", ".join(POLICIES)))
    made = PolicyChoice.objects.create(policy=name, by=by, why=why)
    log.info("policy_chosen", policy=name)
    return made
