"""The addresses of learning's pages."""

from django.urls import path

from learning.views.cards import learning
from learning.views.cost import cost
from learning.views.detail import subcategory
from learning.views.evidence import evidence_page
from learning.views.fragments import run_learning
from learning.views.judges import judges, judges_missed
from learning.views.life import trigger_life
from learning.views.overview import overview
from learning.views.people import people
from learning.views.switch import switch

urlpatterns = [
    path("", overview, name="overview"),
    path("learning/", learning, name="learning"),
    path("learning/cost/", cost, name="cost"),
    path("learning/people/", people, name="people"),
    path("learning/run/<uuid:run_id>/", run_learning, name="run-learning"),
    path("learning/judges/", judges, name="judges"),
    path("learning/judges/runs/", judges_missed, name="judges-missed"),
    # Names of pages, which no subcategory's slug may be: generation.models.category.RESERVED.
    path("learning/evidence/", evidence_page, name="evidence"),
    path("learning/<slug:slug>/", subcategory, name="subcategory"),
    path("learning/<slug:slug>/life/", trigger_life, name="trigger-life"),
    path("learning/<slug:slug>/switch/", switch, name="subcategory-switch"),
]
