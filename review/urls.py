"""The addresses of review's pages."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
