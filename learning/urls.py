"""The addresses of learning's pages."""

from django.urls import path

from learning.views.cards import learning
from learning.views.detail import subcategory
from learning.views.fragments import run_learning
from learning.views.judges import judges, judges_missed
from learning.views.overview import overview
from learning.views.switch import switch

urlpatterns = [
    path("", overview, name="overview"),
    path("learning/", learning, name="learning"),
    path("learning/run/<uuid:run_id>/", run_learning, name="run-learning"),
    path("learning/judges/", judges, name="judges"),
    path("learning/judges/runs/", judges_missed, name="judges-missed"),
    path("learning/<slug:slug>/", subcategory, name="subcategory"),
    path("learning/<slug:slug>/switch/", switch, name="subcategory-switch"),
]
