"""Addresses of the prompt studio, inside the administration's frame. One block per part."""

from django.contrib import admin
from django.urls import path

from learning.studio.preview_views import pane, preview

app_name = "studio"
inside = admin.site.admin_view

# Preview
urlpatterns = [
    path("prompts/<int:prompt_id>/preview/", inside(preview), name="preview"),
    path("prompts/<int:prompt_id>/preview/pane/", inside(pane), name="pane"),
]
