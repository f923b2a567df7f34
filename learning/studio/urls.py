"""Addresses of the prompt studio, a block per part."""

from django.urls import URLPattern

app_name = "studio"
urlpatterns: list[URLPattern] = []
