"""Addresses of the prompt studio, inside the administration's frame. One block per part."""

from django.urls import URLPattern

app_name = "studio"

# Preview
urlpatterns: list[URLPattern] = []
