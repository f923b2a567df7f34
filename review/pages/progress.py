"""A run in the making: its timeline so far, why it waits, and what comes when it ends."""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from generation import clock
from generation.durations import took
from generation.models import Run, Status
from generation.spend import BATCH_CAP
from generation.verdicts import ended
from review.blindness import sees_judge, shown_rounds
from review.models import Claim
from review.pages.timeline import Drawn, draw, nothing


@dataclass(frozen=True)
class Progress:
    """opens: whether the review opens by itself once the record is there, because this person holds the run."""

    run: Run
    drawn: Drawn
    opens: bool
    wait: timedelta | None  # until its next attempt
    blind_to_judge: bool = False

    @property
    def is_over(self) -> bool:
        return not self.run.is_in_progress

    @property
    def has_record(self) -> bool:
        return self.run.is_up_for_review

    @property
    def reason(self) -> str:
        """Why it waits, or ended as it did; an error that it got over is none."""
        error = self.run.error or {}
        told = error if self.is_over or self._is_queued else {}
        return ended(told, unjudged=self.run.is_unjudged)

    @property
    def detail(self) -> str:
        """The words of whoever raised it."""
        return str((self.run.error or {}).get("detail", "")) if self.reason else ""

    @property
    def next_step(self) -> str:
        """What comes next where nothing runs, in words."""
        if not self._is_queued:
            return ""
        if (self.run.error or {}).get("code") == BATCH_CAP:
            return _("it goes on when the cap is raised")
        if self.wait is None:
            return _("it waits for a worker")
        return _("it comes again in %s") % self.left if self.wait > timedelta() else _("it comes again any moment")

    @property
    def left(self) -> str:
        return took(self.wait or timedelta())

    @property
    def counts_down(self) -> bool:
        """Whether the page counts the seconds."""
        return self.wait is not None and timedelta() < self.wait < timedelta(hours=1)

    @property
    def says(self) -> str:
        """One line for those who hear the page: it changes with the run's status, not with every stage."""
        lane = self.drawn.newest_lane
        said = [str(self.run.get_status_display()).capitalize()]
        if self.run.status in (Status.REVIEWING, Status.FIXING) and lane:
            said.append(_("attempt %d") % lane.row.attempt)
        return ", ".join([*said, self.reason] if self.reason else said)

    @property
    def _is_queued(self) -> bool:
        return self.run.status == Status.QUEUED


def progress(run: Run, user: User) -> Progress:
    """Read the page; the number of queries does not depend on how much has happened."""
    held = Claim.objects.filter(run=run, reviewer=user, expires_at__gt=Now())
    opens = run.is_up_for_review and held.exists()
    blind = not sees_judge(run, user)
    drawn = nothing(run) if blind else draw(run, shown=shown_rounds(user, run))
    return Progress(run, drawn, opens, _wait(run), blind)


def _wait(run: Run) -> timedelta | None:
    """By the database's clock."""
    if run.status != Status.QUEUED or run.next_attempt_at is None:
        return None
    return max(timedelta(), run.next_attempt_at - clock.now())
