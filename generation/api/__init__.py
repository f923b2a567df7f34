"""The REST calls of generation: runs with their trail and progress, batches, prompts."""

from ninja import Router

from generation.api import batches, prompts, runs, stream

router = Router()
router.add_router("", runs.router)
router.add_router("", batches.router)
router.add_router("", stream.router)
router.add_router("", prompts.router)
