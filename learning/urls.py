"""The addresses of learning's pages."""

from django.urls import path

from learning.views.overview import overview

urlpatterns = [
    path("", overview, name="overview"),
]
