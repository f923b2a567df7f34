"""The addresses of learning's pages."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
