"""The addresses of the prompt studio, a block per part; each view stands inside administration."""

from django.urls import path

from learning.studio import guidance, influence, thresholds, tried

app_name = "studio"
urlpatterns = [
    # the influence map and its texts
    path("influence/", influence.influence, name="influence"),
    path("influence/<int:row_id>/", guidance.text, name="guidance"),
    path("influence/<int:row_id>/effect/", guidance.shown, name="guidance_effect"),
    path("influence/<int:row_id>/turn/", guidance.turn, name="guidance_turn"),
    path("influence/<int:row_id>/restore/", guidance.restore, name="guidance_restore"),
    path("influence/<int:row_id>/versions/<int:number>/", guidance.version, name="guidance_version"),
    path("influence/<int:row_id>/versions/<int:number>/live/", guidance.live, name="guidance_live"),
    # thresholds and backtests
    path("thresholds/", thresholds.overview, name="thresholds"),
    path("thresholds/<slug:flow>/<slug:kind>/<int:key>/", thresholds.place, name="place"),
    path("backtests/<int:backtest_id>/", tried.tried, name="backtest"),
    path("backtests/<int:backtest_id>/save/", tried.save, name="backtest_save"),
]
