"""The REST calls of review, and of subcategories, whose counts are its own."""

from ninja import Router

from review.api import acts, claims, export_jobs, exports, placing, reviews, subcategories

router = Router()
router.add_router("", reviews.router)
router.add_router("", acts.router)
router.add_router("", claims.router)
router.add_router("", placing.router)
router.add_router("", exports.router)
router.add_router("", export_jobs.router)
router.add_router("", subcategories.router)
