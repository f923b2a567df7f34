"""The request as our views see it: signed in (the middleware refuses others), and htmx-aware."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    user: User
    htmx: HtmxDetails
