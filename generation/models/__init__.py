"""The data of generation, a file per noun."""

from generation.models.access import SCOPES, ApiKey, ApiKeyUse, SignInCount
from generation.models.batch import Batch
from generation.models.category import Category, Institution, Subcategory
from generation.models.deferred import DeferredCall, Submission
from generation.models.operations import DailySpend, IdempotencyKey, NodeEvent, WorkerHeartbeat
from generation.models.prompt import Prompt, PromptMove, PromptVersion
from generation.models.repository import Repository
from generation.models.run import Arm, JudgeOutcome, Run, Status
from generation.models.search import RunText
from generation.models.trail import Asked, Call, Draft, Injection, Judgement
from generation.models.trial import Trial, TrialCall, TriedRun
from generation.models.webhook import WebhookDelivery, WebhookEndpoint, WebhookMessage

__all__ = [
    "SCOPES",
    "ApiKey",
    "ApiKeyUse",
    "Arm",
    "Asked",
    "Batch",
    "Call",
    "Category",
    "DailySpend",
    "DeferredCall",
    "Draft",
    "IdempotencyKey",
    "Injection",
    "Institution",
    "JudgeOutcome",
    "Judgement",
    "NodeEvent",
    "Prompt",
    "PromptMove",
    "PromptVersion",
    "Repository",
    "Run",
    "RunText",
    "SignInCount",
    "Status",
    "Subcategory",
    "Submission",
    "Trial",
    "TrialCall",
    "TriedRun",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WorkerHeartbeat",
]
