"""The far end of the network for these tests."""

from tests.messages_api import messages_api

__all__ = ["messages_api"]
