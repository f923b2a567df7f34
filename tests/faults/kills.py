"""`python -m tests.faults.kills --kills 100`: SIGKILL to a worker in the middle of forty runs, again and again.

Two workers share the runs, some of them with a clock that is an hour off. Whoever was killed is replaced, the
sweep repairs, and people review what is finished, half of the time without the history being writable. Then all
promises are checked. Prints one JSON object; ends with 1 where a promise was broken.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from tests.faults.installation import Installation, wait_for

CLOCKS = (0, 3600, -3600)  # seconds that workers are off by, in turn
WORKERS = 2
SWEEP_SECONDS = 1.0
# Half of all new events are refused, as by a disk that is full now and then.
BREAK_HISTORY = """
CREATE FUNCTION refuse_sometimes() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF random() < 0.5 THEN RAISE EXCEPTION 'no space left'; END IF; RETURN NEW; END $$;
CREATE TRIGGER now_and_then BEFORE INSERT ON review_reviewevent FOR EACH ROW EXECUTE FUNCTION refuse_sometimes()
"""
MEND_HISTORY = "DROP TRIGGER now_and_then ON review_reviewevent"


@dataclass
class Campaign:
    """One series of kills over waves of runs."""

    here: Installation
    runs: int
    chance: random.Random
    made: int = 0
    waves: int = 0
    killed: int = 0
    retried: int = 0
    reviewed: int = 0
    swept_at: float = 0.0
    subcategories: list[Any] = field(default_factory=list)

    def begin(self) -> None:
        from django.contrib.auth.models import User
        from django.db import connection

        from generation.models import Category, Subcategory

        category = Category.objects.create(name="Tools")
        self.subcategories = [
            Subcategory.objects.create(slug=f"kind-{n}", name=f"Kind {n}", category=category) for n in range(4)
        ]
        self.reviewer = User.objects.create(username="mia")
        with connection.cursor() as cursor:
            cursor.execute(BREAK_HISTORY)

    def wave(self) -> None:
        """Forty runs more; half of them leave the subcategory to the categorizer."""
        from generation.batches import create_many

        bodies = []
        for n in range(self.made, self.made + self.runs):
            body: dict[str, Any] = {"flow": "item", "source": {"title": f"Norrland ND-{n}", "text": text(n)}}
            bodies.append(body | ({"subcategory": f"kind-{n % 4}"} if n % 2 else {}))
        _batch, made, bad = create_many(bodies)
        assert not bad and len(made) == self.runs
        self.made += self.runs
        self.waves += 1

    def tend(self) -> None:
        """What goes on beside the kills: the schedule's two tasks, people who retry and review, new work."""
        from generation import runs
        from generation.models import Run
        from generation.tasks import sweep
        from review.tasks import write_missing_events

        if time.monotonic() - self.swept_at > SWEEP_SECONDS:
            sweep.apply_async(expires=7200)
            write_missing_events.apply_async(expires=7200)
            self.swept_at = time.monotonic()
        for run in Run.objects.filter(status="failed"):
            assert run.error and run.error["code"] in ("gave_up", "internal_error"), run.error
            runs.retry(run.pk)
            self.retried += 1
        self.review()

    def review(self) -> None:
        from generation.models import Run
        from review import recording

        for run in Run.objects.up_for_review().exclude(status="failed").order_by("id")[:20]:
            decision = "revise" if run.round == 1 and self.chance.random() < 0.3 else "approve"
            # Its notes make each prompt of the next round another one than before: none may be sent twice.
            said = recording.Fields(decision, bad_format=True, notes=f"Look at {run.title} once more.")
            recording.submit(run.pk, said, reviewer=self.reviewer)
            self.reviewed += 1

    def kill_one(self) -> None:
        """SIGKILL to the older worker, some time after it began to work; a new one takes its place."""
        from generation.models import Run

        worker = next(w for w in self.here.workers if w.poll() is None)

        def works() -> bool:
            self.tend()
            if Run.objects.in_progress().count() < self.runs // 2:
                self.wave()
            return worker.poll() is not None or any(asked.pid == worker.pid for asked in self.here.requests())

        wait_for("a worker at work", works)
        assert worker.poll() is None, f"a worker ended by itself:\n{self.here.said()[-3000:]}"
        time.sleep(self.chance.uniform(0, 0.8))
        worker.kill()
        worker.wait()
        self.killed += 1
        self.here.start_worker(CLOCKS[self.killed % len(CLOCKS)])

    def finish(self) -> None:
        """Nobody is killed any more: everything comes to its end."""
        from django.db import connection

        from generation.models import Run
        from review.models import ReviewForm

        def ended() -> bool:
            self.tend()
            return not Run.objects.exclude(status="approved").exists()

        wait_for("the end of all runs", ended)
        with connection.cursor() as cursor:
            cursor.execute(MEND_HISTORY)

        def written() -> bool:
            self.tend()
            return not ReviewForm.objects.filter(state="submitted", event__isnull=True).exists()

        wait_for("the history", written)


def text(n: int) -> str:
    return (
        f"Battery voltage: 18 V\nMax. torque: {50 + n} Nm\nDimensions: {170 + n} x 81 x 252 mm\nWeight: 2.{n} kg"
    )


def campaign(kills: int, runs: int, seed: int) -> dict[str, Any]:
    started = time.monotonic()
    with Installation() as here:
        from generation.models import Call, Draft, Judgement
        from review.models import ReviewEvent
        from tests.faults import ledger

        going = Campaign(here, runs, random.Random(seed))
        going.begin()
        going.wave()
        for n in range(WORKERS):
            here.start_worker(CLOCKS[n])
        while going.killed < kills:
            going.kill_one()
            if going.killed % 10 == 0:
                sys.stderr.write(f"{going.killed} kills, {going.made} runs\n")
        going.finish()
        requests = here.requests()
        broken = ledger.problems(requests, kills=kills, concurrency=here.concurrency)
        answered = Call.objects.filter(error__isnull=True).count()
        return {
            "kills": going.killed,
            "runs": going.made,
            "given_up_and_retried": going.retried,
            "requests": len(requests),
            "answers_stored": answered,
            "lost_in_flight": len(requests) - answered,
            "calls_with_error": Call.objects.filter(error__isnull=False).count(),
            "drafts": Draft.objects.count(),
            "judgements": Judgement.objects.count(),
            "reviews": going.reviewed,
            "events": ReviewEvent.objects.count(),
            "seconds": round(time.monotonic() - started),
            "seed": seed,
            "problems": broken,
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--runs", type=int, default=40, help="in one wave; the next comes when half are done")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    given = parser.parse_args()
    told = campaign(given.kills, given.runs, given.seed)
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return 1 if told["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
