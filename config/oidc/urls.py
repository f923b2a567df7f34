"""Two addresses; none of allauth's own is mounted."""

from django.urls import path

from config.oidc.views import callback, start

urlpatterns = [
    path("", start, name="oidc-start"),
    path("callback/", callback, name="oidc-callback"),
]
