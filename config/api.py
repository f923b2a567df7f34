"""The one REST API: routers of the three apps under /api/v1, errors as RFC 9457 problems."""

from ninja import NinjaAPI

api = NinjaAPI(title="Foldback", version="1")
