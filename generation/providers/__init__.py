"""Providers by name. Adding one: a module with a `PROVIDER`, and its line here."""

from importlib import import_module
from typing import cast

from generation.providers.base import Answer, Provider, ProviderError, Request, Search, Usage

PROVIDERS = {
    "anthropic": "generation.providers.anthropic",
    "demo": "generation.providers.demo",
}


def provider(name: str) -> Provider:
    """The provider of this name; imported at first use (the SDK alone takes two seconds)."""
    if name not in PROVIDERS:
        raise ProviderError("not_configured", f"no provider {name!r}; known: {', '.join(PROVIDERS)}")
    return cast(Provider, import_module(PROVIDERS[name]).PROVIDER)


__all__ = ["PROVIDERS", "Answer", "Provider", "ProviderError", "Request", "Search", "Usage", "provider"]
