"""`python -m tests.faults.outages`: what holds a run up is taken away while runs are made, one after another.

Connections cut, the database restarted in order and crashed, the broker emptied, every task sent three times, runs
cancelled, all workers' clocks an hour off. Workers live through all of it, so no answer that was paid for may be
lost. Prints one JSON object; ends with 1 where a promise was broken.
"""

import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.faults.installation import Installation, TooLate, wait_for
from tests.faults.kills import text

RUNS = 6
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = %s"


class Outages:
    """Each scenario makes runs, takes something away, and has all of them come to their end."""

    def __init__(self, here: Installation) -> None:
        self.here = here
        self.made = 0
        self.asked_before = 0  # requests, when the newest runs were made
        self.swept_at = 0.0

    def runs(self, prefix: str, count: int = RUNS) -> list[Any]:
        from generation.batches import create_many

        bodies = []
        self.asked_before = len(self.here.requests())
        for n in range(self.made, self.made + count):
            source = {"title": f"{prefix} {n}", "text": text(n)}
            bodies.append({"flow": "item", "source": source, "subcategory": "drills"})
        self.made += count
        return create_many(bodies)[1]

    def under_way(self, requests: int = 4) -> None:
        """Until that many requests have arrived since the newest runs were made."""
        wait_for("requests", lambda: self.swept() and len(self.here.requests()) >= self.asked_before + requests)

    def swept(self) -> bool:
        """The schedule's part, every second."""
        from generation.tasks import sweep

        if time.monotonic() - self.swept_at > 1:
            sweep.apply_async(expires=7200)
            self.swept_at = time.monotonic()
        return True

    def end(self, run_ids: list[Any], *statuses: str) -> None:
        from generation.models import Run

        ends = statuses or ("awaiting_review", "needs_human_review")

        def ended() -> bool:
            return self.swept() and not Run.objects.filter(pk__in=run_ids).exclude(status__in=ends).exists()

        try:
            wait_for("the end of all runs", ended)
        except TooLate as error:
            left = list(Run.objects.filter(pk__in=run_ids).exclude(status__in=ends).values_list("status", "error"))
            raise TooLate(f"{error}: {left}\n{self.here.said()[-3000:]}") from error

    def connections_cut(self) -> None:
        from django.db import connection

        made = []
        for _ in range(3):  # each with work of its own: what came before may be over
            made += self.runs("cut")
            self.under_way(2)
            with connection.cursor() as cursor:
                cursor.execute(CUT, ["client backend"])
        self.end(made)

    def database_restarted(self) -> None:
        self._restarted(signal.SIGINT)

    def database_crashed(self) -> None:
        self._restarted(signal.SIGQUIT)

    def _restarted(self, how: signal.Signals) -> None:
        from django.db import connection

        made = self.runs(how.name)
        self.under_way()
        connection.close()
        self.here.stop_database(how)
        time.sleep(1)  # workers come upon a database that is not there
        self.here.start_database()
        self.end(made)

    def broker_emptied(self) -> None:
        from django.db import connection

        made, lost = [], 0
        while lost < RUNS:  # workers may have been quicker than we were
            made += self.runs("emptied", 3 * RUNS)
            self.under_way(1)
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM pgmq.q_foldback")
                lost += cursor.rowcount
            assert self.made < 50 * RUNS, f"only {lost} tasks were waiting: this shows nothing"
        self.end(made)

    def sent_three_times(self) -> None:
        from generation.tasks import generate_run

        made = self.runs("thrice")
        for run_id in [*made, *made]:
            generate_run.delay(str(run_id))
        self.end(made)

    def cancelled(self) -> None:
        from generation import runs
        from generation.errors import Conflict
        from generation.models import Call, Run

        made = self.runs("cancelled")
        self.under_way()
        stopped: list[Any] = []
        for run_id in made:
            if len(stopped) < RUNS // 2:
                with suppress(Conflict):  # it has ended by now
                    runs.cancel(run_id)
                    stopped.append(run_id)
        self.end([run_id for run_id in made if run_id not in stopped])
        self.end(stopped, "stopped")
        assert stopped, "all had ended before they were cancelled"
        for run_id in stopped:
            error = Run.objects.get(pk=run_id).error
            assert error and error["code"] == "cancelled", error
            assert Call.objects.filter(run=run_id).count() <= 2, "it was asked on after it was cancelled"

    def clocks_an_hour_off(self) -> None:
        """No worker is left whose clock is right: with one ahead, then with one behind."""
        for worker in self.here.workers:
            worker.kill()
            worker.wait()
        for seconds in (3600, -3600):
            worker = self.here.start_worker(clock_off_by=seconds)
            self.end(self.runs(f"off by {seconds}"))
            worker.terminate()
            worker.wait(60)


def main() -> int:
    with Installation(call_seconds=0.2, concurrency=4) as here:
        from generation.models import Call, Category, Subcategory
        from tests.faults import ledger

        Subcategory.objects.create(slug="drills", name="Drills", category=Category.objects.create(name="Tools"))
        outages = Outages(here)
        here.start_worker()
        here.start_worker()
        scenarios: list[Callable[[], None]] = [
            outages.connections_cut,
            outages.database_restarted,
            outages.database_crashed,
            outages.broker_emptied,
            outages.sent_three_times,
            outages.cancelled,
            outages.clocks_an_hour_off,
        ]
        seconds = {}
        for scenario in scenarios:
            begun = time.monotonic()
            scenario()
            seconds[scenario.__name__] = round(time.monotonic() - begun, 1)
        requests = here.requests()
        told = {
            "seconds": seconds,
            "runs": outages.made,
            "requests": len(requests),
            "answers_stored": Call.objects.filter(error__isnull=True).count(),
            "problems": ledger.problems(requests, kills=0, concurrency=0),
        }
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
        return 1 if told["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
