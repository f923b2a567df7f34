"""The REST calls of review."""

from ninja import Router

from review.api import claims, exports, reviews

router = Router()
router.add_router("", reviews.router)
router.add_router("", claims.router)
router.add_router("", exports.router)
