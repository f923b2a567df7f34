"""What admins set in learning, and the changes of prompts that learning proposes to them."""

from learning.models.guidance import Guidance
from learning.models.proposal import Proposal, ProposalDecision
from learning.models.switch import Switch
from learning.models.synonym import FieldSynonym

__all__ = ["FieldSynonym", "Guidance", "Proposal", "ProposalDecision", "Switch"]
