"""Addresses of the prompt studio, inside the administration's frame. One block per part."""

from django.contrib import admin
from django.urls import path

from learning.studio import backtest, guidance, influence, policy, thresholds, trial_views
from learning.studio.preview_views import pane, preview
from learning.studio.proposals import views as proposals

app_name = "studio"
inside = admin.site.admin_view

urlpatterns = [
    # Preview
    path("prompts/<int:prompt_id>/preview/", inside(preview), name="preview"),
    path("prompts/<int:prompt_id>/preview/pane/", inside(pane), name="pane"),
    # The influence map and its texts
    path("influence/", influence.influence, name="influence"),
    path("influence/<int:row_id>/", guidance.text, name="guidance"),
    path("influence/<int:row_id>/effect/", guidance.shown, name="guidance_effect"),
    path("influence/<int:row_id>/turn/", guidance.turn, name="guidance_turn"),
    path("influence/<int:row_id>/restore/", guidance.restore, name="guidance_restore"),
    path("influence/<int:row_id>/versions/<int:number>/", guidance.version, name="guidance_version"),
    path("influence/<int:row_id>/versions/<int:number>/live/", guidance.live, name="guidance_live"),
    # Policy, thresholds and backtests
    path("policy/", policy.policy, name="policy"),
    path("policy/try/", policy.attempt, name="policy_try"),
    path("thresholds/", thresholds.overview, name="thresholds"),
    path("thresholds/<slug:flow>/<slug:kind>/<int:key>/", thresholds.place, name="place"),
    path("backtests/<int:backtest_id>/", backtest.tried, name="backtest"),
    path("backtests/<int:backtest_id>/save/", backtest.save, name="backtest_save"),
    # Trials, and what versions achieved
    path("prompts/<int:prompt_id>/trial/", trial_views.start, name="trial"),
    path("prompts/<int:prompt_id>/achieved/", trial_views.achieved, name="achieved"),
    path("trials/<uuid:trial_id>/", trial_views.detail, name="trial_detail"),
    path("trials/<uuid:trial_id>/stop/", trial_views.stop, name="trial_stop"),
    path("trials/<uuid:trial_id>/<int:position>/", trial_views.tried, name="trial_run"),
    # Proposals
    path("proposals/", proposals.proposals, name="proposals"),
    path("proposals/<int:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<int:proposal_id>/change/", proposals.proposal_change, name="proposal_change"),
    path("proposals/<int:proposal_id>/accept/", proposals.accept, name="proposal_accept"),
    path("proposals/<int:proposal_id>/decline/", proposals.decline, name="proposal_decline"),
]
