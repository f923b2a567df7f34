"""/ : four figures, what changed since yesterday, the triggers that are on, the queue by age."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from learning.overview.ages import Age, ages
from learning.overview.figures import Figure, figures
from learning.overview.fired import On, on, recent
from learning.overview.news import Piece, news
from learning.strips import TRIGGERS
from review.groups import CAN_REVIEW
from review.queue import count_waiting
from review.views.access import Request

FIRED_SHOWN = 8


@dataclass(frozen=True)
class Page:
    waiting: int
    figures: list[Figure]
    news: list[Piece]
    on: list[On]
    shows_flow: bool  # several flows were reviewed
    on_count: int
    trigger_count: int
    ages: list[Age]
    ages_most: int

    @classmethod
    def read(cls) -> "Page":
        known = recent()
        fired = on(known)
        by_age = ages()
        return cls(
            waiting=count_waiting(),
            figures=figures(),
            news=news(known),
            on=fired[:FIRED_SHOWN],
            shows_flow=len({found.flow for found in known}) > 1,
            on_count=len(fired),
            trigger_count=len(known) * len(TRIGGERS),
            ages=by_age,
            ages_most=max(age.count for age in by_age),
        )


@require_safe
def overview(request: Request) -> HttpResponse:
    return render(
        request,
        "learning/overview.html",
        {"page": Page.read(), "may_review": request.user.has_perm(CAN_REVIEW)},
    )
