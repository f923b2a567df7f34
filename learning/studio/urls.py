"""The addresses of the prompt studio, a block per part; each view stands inside administration."""

from django.urls import URLPattern

app_name = "studio"
urlpatterns: list[URLPattern] = []
