"""What the worker does for webhooks: it hands endpoints to threads of their own, and waits for none."""

from uuid import UUID

from celery import shared_task

from generation.webhooks.delivering import SWEPT, deliver, due
from generation.webhooks.lanes import Lanes

lanes = Lanes(deliver)


@shared_task(name="generation.tasks.deliver_webhooks")
def deliver_webhooks(endpoint_id: str) -> None:
    lanes.hand(UUID(endpoint_id))


@shared_task(name="generation.tasks.sweep_webhooks")
def sweep_webhooks() -> int:
    """Send what is due and nobody sends: due again, its task lost, or held by a worker that died. Of how many."""
    found = list(due().order_by("resting_until", "id").values_list("pk", flat=True)[:SWEPT])
    for endpoint_id in found:
        lanes.hand(endpoint_id)
    return len(found)
