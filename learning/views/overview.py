"""/ : four figures, what changed, what becomes better or worse, the queue by age, the triggers that are on."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from learning import facts
from learning.days.trends import Trends, trends
from learning.overview.ages import Age, ages
from learning.overview.figures import Figure, figures
from learning.overview.fired import On, on, recent
from learning.overview.news import Piece, news
from learning.overview.table import COLUMNS, Day, by_day, rows
from learning.strips import TRIGGERS
from learning.tables import csv_response, wants_csv
from review.groups import CAN_REVIEW
from review.queue import count_waiting
from review.views.access import Request, reader_required

FIRED_SHOWN = 8
NEWS_SHOWN = 7  # the rest is one click away


@dataclass(frozen=True)
class Page:
    waiting: int
    figures: list[Figure]
    news: list[Piece]
    more_news: list[Piece]
    trends: Trends
    as_of: datetime | None  # of the trends
    days: list[Day]
    on: list[On]
    shows_flow: bool  # several flows were reviewed
    on_count: int
    more_on: int  # than stand here
    trigger_count: int
    ages: list[Age]
    ages_most: int

    @classmethod
    def read(cls) -> "Page":
        known = recent()
        fired = on(known)
        by_age = ages()
        told = news(known)
        return cls(
            waiting=count_waiting(),
            figures=figures(),
            news=told[:NEWS_SHOWN],
            more_news=told[NEWS_SHOWN:],
            trends=trends(timezone.now().date()),
            as_of=facts.as_of(),
            days=by_day(),
            on=fired[:FIRED_SHOWN],
            shows_flow=len({found.flow for found in known}) > 1,
            on_count=len(fired),
            more_on=len(fired[FIRED_SHOWN:]),
            trigger_count=len(known) * len(TRIGGERS),
            ages=by_age,
            ages_most=max(age.count for age in by_age),
        )


@require_safe
@reader_required
def overview(request: Request) -> HttpResponse:
    if wants_csv(request):
        return csv_response("overview", COLUMNS, rows(by_day()))
    return render(
        request,
        "learning/overview.html",
        {"page": Page.read(), "may_review": request.user.has_perm(CAN_REVIEW)},
    )
