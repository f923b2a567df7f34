"""Every address of the application."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from config import health
from config.api import api
from learning.views.login import SignIn, admin_sign_in

handler500 = "config.failing.server_error"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("admin/login/", admin_sign_in),  # one way in for all; before the admin's own
    path("admin/studio/", include("learning.studio.urls")),  # before the admin's own, which takes the rest
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", login_not_required(LogoutView.as_view()), name="logout"),
    path("", include("generation.urls")),
    path("", include("review.urls")),
    path("", include("learning.urls")),
]
if settings.OIDC:
    urlpatterns.append(path("login/oidc/", include("config.oidc.urls")))
