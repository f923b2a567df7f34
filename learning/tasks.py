"""What the worker does for learning, now and then."""

from celery import shared_task

from learning.studio.proposals import finding, wording


@shared_task(name="learning.tasks.find_proposals")
def find_proposals() -> int:
    """Look for what base prompts should say themselves, and have it worded; how many proposals came new."""
    made = finding.find()
    wording.write_waiting()
    return len(made)
