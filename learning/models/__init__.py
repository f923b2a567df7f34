"""What admins set in learning, each with its history, and the backtests that they ran before."""

from learning.models.achieved import Achieved, AchievedFact
from learning.models.agreement import Agreement, AgreementFact, Pair, PairFact
from learning.models.backtest import Backtest
from learning.models.change import ControlChange
from learning.models.cost import Cost, CostFact
from learning.models.day import DayFact, DaySum
from learning.models.due import AsOf, Due
from learning.models.guidance import Guidance, GuidanceMove, GuidanceVersion
from learning.models.judging import Judging, JudgingFact, JudgingScores
from learning.models.policy_choice import PolicyChoice
from learning.models.proposal import Proposal, ProposalDecision
from learning.models.switch import Switch
from learning.models.synonym import FieldSynonym
from learning.models.threshold import ThresholdSet
from learning.models.told import ToldTriggers
from learning.models.uplift import FirstSent, Uplift, UpliftFact

__all__ = [
    "Achieved",
    "AchievedFact",
    "Agreement",
    "AgreementFact",
    "AsOf",
    "Backtest",
    "ControlChange",
    "Cost",
    "CostFact",
    "DayFact",
    "DaySum",
    "Due",
    "FieldSynonym",
    "FirstSent",
    "Guidance",
    "GuidanceMove",
    "GuidanceVersion",
    "Judging",
    "JudgingFact",
    "JudgingScores",
    "Pair",
    "PairFact",
    "PolicyChoice",
    "Proposal",
    "ProposalDecision",
    "Switch",
    "ThresholdSet",
    "ToldTriggers",
    "Uplift",
    "UpliftFact",
]
