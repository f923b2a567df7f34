"""`python -m tests.faults.webhooks`: SIGKILL between a review and its webhook, and in the middle of sending.

Every other review is submitted by a process that is killed as soon as its transaction stands, before it could ask
anybody to send. A worker that has a request open at the receiver is killed, again and again. Prints one JSON
object; ends with 1 where a message was lost, or came under two ids.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from typing import Any

from tests.faults.installation import ROOT, Installation, wait_for
from tests.receiver import Got, Receiver, Says, receiver

SUBMIT = """
import os, signal, django
django.setup()
from django.db import transaction
from django.contrib.auth.models import User
from review import recording
with transaction.atomic():
    transaction.on_commit(lambda: os.kill(os.getpid(), signal.SIGKILL))  # before any other that comes
    recording.submit({run!r}, recording.Fields("approve"), reviewer=User.objects.get(username="mia"))
raise SystemExit("still alive")
"""


class Series:
    """Reviews of runs that wait, told to one receiver that lets a request hang until its worker is dead."""

    def __init__(self, here: Installation, there: Receiver) -> None:
        self.here, self.there = here, there
        self.open = 0
        self.go_on = threading.Event()
        self.swept_at = 0.0
        there.says = self.slowly

    def slowly(self, got: Got) -> Says:
        self.open += 1
        self.go_on.wait(60)
        self.open -= 1
        return Says()

    def begin(self, reviews: int) -> list[Any]:
        from django.contrib.auth.models import User

        from generation.models import WebhookEndpoint
        from tests.factories import DraftFactory

        User.objects.create(username="mia")
        WebhookEndpoint.objects.create(url=self.there.url, types=["review.recorded"])
        return [DraftFactory().run.pk for _ in range(reviews)]

    def review(self, runs: list[Any]) -> int:
        """Of how many the process was killed between its commit and what it would have done next."""
        from django.contrib.auth.models import User

        from review import recording

        killed = 0
        for n, run in enumerate(runs):
            if n % 2:
                recording.submit(run, recording.Fields("approve"), reviewer=User.objects.get(username="mia"))
                continue
            done = subprocess.run(
                [sys.executable, "-c", SUBMIT.format(run=str(run))], cwd=ROOT, capture_output=True
            )
            assert done.returncode == -9, done.stderr.decode()[-2000:]
            killed += 1
        return killed

    def kill_one(self, known: int) -> None:
        """SIGKILL to the worker while a request of its is open; another one takes its place."""
        self.go_on.clear()
        worker = self.here.start_worker()
        wait_for("a request", lambda: self.swept() and len(self.there.got) > known and self.open > 0)
        worker.kill()
        worker.wait()
        self.go_on.set()

    def swept(self) -> bool:
        """The schedule's part, every second."""
        from generation.webhooks.tasks import sweep_webhooks

        if time.monotonic() - self.swept_at > 1:
            sweep_webhooks.apply_async(expires=7200)
            self.swept_at = time.monotonic()
        return True

    def finish(self) -> None:
        from generation.models import WebhookDelivery

        self.here.start_worker()
        open_ones = WebhookDelivery.objects.exclude(state="delivered")
        wait_for("all deliveries", lambda: self.swept() and not open_ones.exists())


def problems(here: Series, secret_of: Any) -> list[str]:
    from standardwebhooks import Webhook

    from review.models import ReviewEvent

    found = []
    ids: dict[int, set[str]] = {}
    for got in here.there.got:
        told = Webhook(secret_of).verify(got.body, got.headers)
        ids.setdefault(told["data"]["event"], set()).add(got.id)
    for event in ReviewEvent.objects.values_list("pk", flat=True):
        if len(ids.get(event, ())) != 1:
            found.append(f"the review event {event} came under the ids {ids.get(event)}")
    return found


def series(reviews: int, kills: int) -> dict[str, Any]:
    with receiver() as there, Installation() as here:
        from generation.models import WebhookDelivery, WebhookEndpoint
        from generation.webhooks import signing
        from review.models import ReviewEvent

        going = Series(here, there)
        runs = going.begin(reviews)
        killed = going.review(runs)
        for _ in range(kills):
            going.kill_one(len(there.got))
        going.finish()
        return {
            "reviews": ReviewEvent.objects.count(),
            "killed_after_commit": killed,
            "workers_killed": kills,
            "requests": len(there.got),
            "messages": len(set(there.ids)),
            "delivered": WebhookDelivery.objects.filter(state="delivered").count(),
            "problems": problems(going, signing.secret(WebhookEndpoint.objects.get().pk, 1)),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=12)
    parser.add_argument("--kills", type=int, default=4)
    given = parser.parse_args()
    told = series(given.reviews, given.kills)
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return 1 if told["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
