"""The REST calls of generation: runs with their trail and progress, and subcategories."""

from ninja import Router

from generation.api import runs, stream, subcategories

router = Router()
router.add_router("", runs.router)
router.add_router("", stream.router)
router.add_router("", subcategories.router)
