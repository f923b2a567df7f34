"""Providers by name. Adding one: a module with a `PROVIDER`, and its line here."""

from importlib import import_module
from typing import cast

from generation.providers.base import Answer, Batches, Provider, ProviderError, Request, Search, Usage, Workspace

PROVIDERS = {
    "anthropic": "generation.providers.anthropic",
    "command": "generation.providers.command",
    "demo": "generation.providers.demo",
}
# Those with a batch interface: a module with a `BATCHES`.
BATCHES = {"anthropic": "generation.providers.anthropic.batches"}


def has_batches(name: str) -> bool:
    return name in BATCHES


def batches(name: str) -> Batches:
    """The batch interface of a provider that has one; imported at first use, like the provider."""
    return cast(Batches, import_module(BATCHES[name]).BATCHES)


def provider(name: str) -> Provider:
    """The provider of this name; imported at first use (the SDK alone takes two seconds)."""
    if name not in PROVIDERS:
        raise ProviderError("not_configured", f"no provider {name!r}; known: {', '.join(PROVIDERS)}")
    return cast(Provider, import_module(PROVIDERS[name]).PROVIDER)


def agent(name: str) -> Provider:
    """Who implements and fixes in a run of this provider: the agent program; of the demo, the shipped one."""
    return cast(Provider, import_module(PROVIDERS["demo"]).AGENT) if name == "demo" else provider("command")


__all__ = [
    "BATCHES",
    "PROVIDERS",
    "Answer",
    "Batches",
    "Provider",
    "ProviderError",
    "Request",
    "Search",
    "Usage",
    "Workspace",
    "agent",
    "batches",
    "has_batches",
    "provider",
]
