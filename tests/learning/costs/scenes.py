"""Runs that are over, with what they asked: rows alone, as the pipeline leaves them."""

from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.utils import timezone

from generation import prompts
from generation.models import Call, Injection, PromptVersion, Run, Status
from tests.factories import RunFactory, SubcategoryFactory
from tests.learning.histories import said

MODEL = "claude-sonnet-5-5-20260101"
# stage → input, output, milliseconds
ASKED = {"categorizer": (420, 30, 900), "extraction": (1900, 640, 6200), "supervisor": (1400, 60, 2100)}


def spent(people: list[User], weeks: int = 8, each: int = 6) -> list[Run]:
    """Weeks of item runs: a second version of extraction since the last half, which costs less and fails less."""
    prompts.seed()
    live = {stage: prompts.live("item", stage) for stage in (*ASKED, "formatter")}
    first = live["extraction"]
    second = prompts.save_version(first.prompt, system=first.system, user=f"Be brief.\n{first.user}")
    prompts.make_live(second, by=None, why="shorter")
    place = SubcategoryFactory(name="Cordless drills")
    made: list[Run] = []
    now = timezone.now()
    for week in range(weeks):
        for number in range(each):
            later = week >= weeks // 2
            status = Status.REJECTED if number % (each if later else 3) == 0 else Status.APPROVED
            at = now - timedelta(weeks=weeks - 1 - week, milliseconds=number)  # one week, also early on a Monday
            run = RunFactory(subcategory=place, status=status, changed_at=at, created_at=at)
            _asked(run, live | {"extraction": second if later else first}, number, later)
            decision = "reject" if status == Status.REJECTED else "approve"
            said(run, created_at=at, reviewer=people[number % len(people)], decision=decision)
            made.append(run)
    return made


def _asked(run: Run, versions: dict[str, PromptVersion], number: int, later: bool) -> None:
    for stage, (sent, answered, took) in ASKED.items():
        less = 2 if later and stage == "extraction" else 1
        call = Call.objects.create(
            run=run, stage=stage, prompt_version=versions[stage], provider="anthropic", model=MODEL,
            input_tokens=sent // 3, cache_read_tokens=2 * sent // 3 if number else 0,
            cache_write_tokens=0 if number else 2 * sent // 3, output_tokens=answered // less,
            cost_usd=Decimal(sent * 2 + answered * 15 // less) / 1_000_000, duration_ms=took // less,
            answer="{}",
        )  # fmt: skip
        if stage != "categorizer" and number % 2:
            text = "Give each size with its own unit, and check that it is plausible for this kind of thing."
            Injection.objects.create(
                call=call, placeholder="EXTRACTION_REVIEW", guidance_key="k", text=text, reason="bad_format",
                characters=len(text), tokens=len(text) // 4 + 1,
            )  # fmt: skip
