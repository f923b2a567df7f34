"""The data of review, a file per noun."""

from review.models.assignment import Assignment
from review.models.bulk import BulkAct
from review.models.claim import Claim
from review.models.claim_event import ClaimEvent
from review.models.event import ReviewEvent
from review.models.export import Export
from review.models.form import ReviewForm
from review.models.placement import Placement
from review.models.policy import ReviewPolicy
from review.models.saved_view import SavedView
from review.models.signals import DECIDED, SIGNALS, Decision, Signals
from review.models.tally import Tally

__all__ = [
    "DECIDED",
    "SIGNALS",
    "Assignment",
    "BulkAct",
    "Claim",
    "ClaimEvent",
    "Decision",
    "Export",
    "Placement",
    "ReviewEvent",
    "ReviewForm",
    "ReviewPolicy",
    "SavedView",
    "Signals",
    "Tally",
]
