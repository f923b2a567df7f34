"""Addresses of the prompt studio, a block per part."""

from django.urls import path

from learning.studio import trial_views

app_name = "studio"
urlpatterns = [
    # trials, and what versions achieved
    path("prompts/<int:prompt_id>/trial/", trial_views.start, name="trial"),
    path("prompts/<int:prompt_id>/achieved/", trial_views.achieved, name="achieved"),
    path("trials/<uuid:trial_id>/", trial_views.detail, name="trial_detail"),
    path("trials/<uuid:trial_id>/stop/", trial_views.stop, name="trial_stop"),
    path("trials/<uuid:trial_id>/<int:position>/", trial_views.tried, name="trial_run"),
]
