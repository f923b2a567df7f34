"""What must hold after any disaster: each run ended once, nothing doubled, lost or paid for twice."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Sum

from generation.models import Call, Draft, Judgement, NodeEvent, Run
from generation.models.run import IN_PROGRESS
from review.models import ReviewEvent, ReviewForm
from tests.faults.far_end import Asked, digest

SLACK = 0.05  # seconds between a request's line in the log and its arrival


def problems(requests: Iterable[Asked], *, kills: int, concurrency: int) -> list[str]:
    """Every broken promise, in words; empty where all of them held."""
    return [
        *_unfinished(),
        *_drafts(),
        *_judgements(),
        *_paid_twice(list(requests), kills * concurrency),
        *_booked(),
        *_endings(),
        *_reviews(),
    ]


def _unfinished() -> Iterable[str]:
    for run in Run.objects.filter(status__in=IN_PROGRESS):
        yield f"run {run.pk} is {run.status} after {run.attempts} attempts: {run.error}"
    for run in Run.objects.exclude(status__in=IN_PROGRESS).filter(lease__isnull=False):
        yield f"run {run.pk} is {run.status} and still leased"


def _drafts() -> Iterable[str]:
    """Revisions without gap or repeat, as many as the run says, and each judged exactly once."""
    revisions: dict[Any, list[int]] = defaultdict(list)
    for run_id, revision in Draft.objects.order_by("run", "revision").values_list("run", "revision"):
        revisions[run_id].append(revision)
    for run_id, newest in Run.objects.values_list("pk", "revision"):
        if revisions[run_id] != list(range(1, newest + 1)):
            yield f"run {run_id} is at revision {newest} and has the drafts {revisions[run_id]}"
    finished = Draft.objects.filter(run__status__in=("awaiting_review", "approved", "needs_human_review"))
    for draft in finished.annotate(judged=Count("judgements")).exclude(judged=1):
        yield f"revision {draft.revision} of run {draft.run_id} was judged {draft.judged} times"


def _judgements() -> Iterable[str]:
    cycles: dict[Any, list[int]] = defaultdict(list)
    for run_id, round_, cycle in Judgement.objects.order_by("id").values_list("run", "round", "cycle"):
        cycles[run_id, round_].append(cycle)
    for place, found in cycles.items():
        if found != list(range(1, len(found) + 1)):
            yield f"run and round {place} were judged in the cycles {found}"


def _paid_twice(requests: list[Asked], most_lost: int) -> Iterable[str]:
    """No request after its answer was stored, no answer stored twice, and no request lost but to a kill."""
    stored: dict[str, list[Call]] = defaultdict(list)
    for call in Call.objects.filter(error__isnull=True):
        stored[digest(call.stage, call.system, call.user)].append(call)
    for prompt, calls in stored.items():
        if len(calls) > 1:
            yield f"prompt {prompt} has {len(calls)} stored answers, of the runs {[c.run_id for c in calls]}"
    for asked in requests:
        for call in stored[asked.prompt]:
            if asked.at > call.created_at.timestamp() + SLACK:
                yield f"prompt {asked.prompt} of run {call.run_id} was sent again after its answer was stored"
    times = Counter(asked.prompt for asked in requests)
    lost = sum(times.values()) - sum(len(calls) for calls in stored.values())
    if lost > most_lost:
        yield f"{lost} answers were lost, and the kills account for {most_lost} at most"
    if never := [prompt for prompt, calls in stored.items() if calls and not times[prompt]]:
        yield f"{len(never)} stored answers were never asked for"


def _booked() -> Iterable[str]:
    """A run's sums are those of its calls."""
    for run in Run.objects.all():
        told = run.calls.aggregate(tokens=Sum("input_tokens"), out=Sum("output_tokens"), cost=Sum("cost_usd"))
        if (run.input_tokens, run.output_tokens, run.cost_usd) != tuple(value or 0 for value in told.values()):
            yield f"run {run.pk} books {run.input_tokens} tokens, its calls {told}"


def _endings() -> Iterable[str]:
    """A status is told once for each time that it was reached: one ending per round."""
    ends = NodeEvent.objects.filter(kind="status", node__in=("awaiting_review", "needs_human_review"))
    for row in ends.values("run", "round").annotate(times=Count("id")).filter(times__gt=1):
        yield f"run {row['run']} ended its round {row['round']} {row['times']} times"


def _reviews() -> Iterable[str]:
    """One event for each submitted review, with the review's own time."""
    for form in ReviewForm.objects.filter(state="submitted").select_related("event"):
        if form.event is None:
            yield f"the review {form.pk} has no event"
        elif form.event.created_at != form.submitted_at:
            yield f"the event {form.event_id} has not the time of its review"
    forms, events = ReviewForm.objects.filter(state="submitted").count(), ReviewEvent.objects.count()
    if forms != events:
        yield f"{forms} reviews were submitted and {events} events written"
