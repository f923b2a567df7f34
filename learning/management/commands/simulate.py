"""`manage.py simulate`: the loop in fast motion, learning off and on, nothing left behind; or the study."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from generation.providers.demo.faults import CURE_RATES, FAULT_RATES, PRONE_RATE
from generation.quiet import quiet
from learning.demo.simulation import Outcome, simulate
from learning.study import report

SMALLEST = 60
FRANK = Path(__file__).resolve().parents[4] / "shared" / "data" / "frank" / "human_per_criterion.csv"


class Command(BaseCommand):
    help = "Simulates the closed loop on the demo provider, reviewed by fixed rules, and rolls everything back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, default=90, help="runs per arm, at least 60 (default: 90)")
        parser.add_argument("--study", action="store_true", help="compare the policies in known worlds instead")
        parser.add_argument("--repeats", type=int, default=150, help="of each world in the study (default: 150)")
        parser.add_argument("--seed", type=int, default=1, help="of the study (default: 1)")
        parser.add_argument("--out", type=Path, help="where study.md and study.svg go; else the text is printed")
        parser.add_argument("--frank", type=Path, default=FRANK, help="the labels of FRANK, where there are any")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["study"]:
            self.study(**options)
            return
        runs = options["runs"]
        if runs < SMALLEST:
            raise CommandError(f"--runs: at least {SMALLEST}")
        with quiet():
            outcomes = [self.arm(runs, learning) for learning in (False, True)]
        self.stdout.write("SIMULATION: demo provider (rules, not an AI), reviewed by fixed rules.")
        self.stdout.write(
            "It shows that the loop closes. It says nothing about what guidance does to a real model.\n"
        )
        self.table(runs, outcomes)
        self.constants()

    def study(self, *, repeats: int, seed: int, out: Path | None, frank: Path, **options: Any) -> None:
        if repeats < 1:
            raise CommandError("--repeats: at least 1")
        if out is not None:  # before the work of many minutes, not after it
            try:
                out.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise CommandError(f"--out: {out} cannot be written: {error.strerror}") from error
        found = report.study(repeats, seed, frank, lambda done: self.stderr.write(done))
        if out is None:
            self.stdout.write(report.document(found))
        else:
            report.write(found, out)
            self.stdout.write(f"Written: {out / 'study.md'}, {out / 'study.svg'}")

    def arm(self, runs: int, learning: bool) -> Outcome:
        done = 0

        def tick() -> None:
            nonlocal done
            done += 1
            if sys.stderr.isatty():
                self.stderr.write(f"\rlearning {'on' if learning else 'off'}: {done} of {runs}", ending="")

        outcome = simulate(runs, learning=learning, tick=tick)
        if sys.stderr.isatty():
            self.stderr.write("")
        return outcome

    def table(self, runs: int, outcomes: list[Outcome]) -> None:
        half = runs // 2
        self.row("", "learning off", "learning on")
        for name, part in (
            (f"first-pass acceptance, all {runs} runs", slice(None)),
            (f"  first {half}", slice(None, half)),
            (f"  last {runs - half}", slice(half, None)),
        ):
            self.row(name, *(f"{outcome.share(part):.0%}" for outcome in outcomes))
        for signal in sorted(outcomes[0].raised | outcomes[1].raised):
            said = "answered no" if signal == "information_present" else "raised"
            self.row(
                f"{signal} {said} at first review", *(str(outcome.raised.get(signal, 0)) for outcome in outcomes)
            )

    def row(self, name: str, *figures: str) -> None:
        self.stdout.write(f"{name:<50}" + "".join(f"{figure:>14}" for figure in figures))

    def constants(self) -> None:
        self.stdout.write("\nConstants of the demo provider, on which this rests:")
        self.stdout.write(
            f"  one mistake in each subcategory has the fault rate {PRONE_RATE:.0%} instead of its own"
        )
        for fault, rate in FAULT_RATES.items():
            self.stdout.write(
                f"  {fault:<30} fault rate {rate:.0%}, cured by its guidance {CURE_RATES[fault]:.0%}"
            )
