"""The REST calls of generation: runs with their trail and progress."""

from ninja import Router

from generation.api import runs, stream

router = Router()
router.add_router("", runs.router)
router.add_router("", stream.router)
