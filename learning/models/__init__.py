"""What admins set in learning, each with its history, and the backtests that they ran before."""

from learning.models.achieved import Achieved, AchievedAsOf, AchievedDue, AchievedFact
from learning.models.backtest import Backtest
from learning.models.change import ControlChange
from learning.models.guidance import Guidance, GuidanceMove, GuidanceVersion
from learning.models.policy_choice import PolicyChoice
from learning.models.proposal import Proposal, ProposalDecision
from learning.models.switch import Switch
from learning.models.synonym import FieldSynonym
from learning.models.threshold import ThresholdSet
from learning.models.told import ToldTriggers

__all__ = [
    "Achieved",
    "AchievedAsOf",
    "AchievedDue",
    "AchievedFact",
    "Backtest",
    "ControlChange",
    "FieldSynonym",
    "Guidance",
    "GuidanceMove",
    "GuidanceVersion",
    "PolicyChoice",
    "Proposal",
    "ProposalDecision",
    "Switch",
    "ThresholdSet",
    "ToldTriggers",
]
