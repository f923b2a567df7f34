"""The far ends that faults come from: a scripted provider, and a server that speaks the Messages API."""

from tests.generation.conftest import scripted
from tests.messages_api import messages_api

__all__ = ["messages_api", "scripted"]
