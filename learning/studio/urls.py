"""The addresses of the prompt studio, a block per part; each view stands inside administration."""

from django.urls import path

from learning.studio import thresholds, tried

app_name = "studio"
urlpatterns = [
    # thresholds and backtests
    path("thresholds/", thresholds.overview, name="thresholds"),
    path("thresholds/<slug:flow>/<slug:kind>/<int:key>/", thresholds.place, name="place"),
    path("backtests/<int:backtest_id>/", tried.tried, name="backtest"),
    path("backtests/<int:backtest_id>/save/", tried.save, name="backtest_save"),
]
