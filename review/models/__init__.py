"""The data of review, a file per noun."""

from review.models.claim import Claim
from review.models.event import ReviewEvent
from review.models.form import ReviewForm
from review.models.policy import ReviewPolicy
from review.models.signals import DECIDED, SIGNALS, Decision, Signals
from review.models.tally import Tally

__all__ = [
    "DECIDED",
    "SIGNALS",
    "Claim",
    "Decision",
    "ReviewEvent",
    "ReviewForm",
    "ReviewPolicy",
    "Signals",
    "Tally",
]
