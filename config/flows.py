"""Flows that come from elsewhere (FOLDBACK_FLOWS): their packages become apps."""

from collections.abc import Mapping
from importlib.util import find_spec


def packages_of(flows: Mapping[str, str]) -> list[str]:
    """The top packages of these dotted paths, each once. One that is not there is left to the system check."""
    packages = dict.fromkeys(path.partition(".")[0] for path in flows.values())
    return [package for package in packages if package.isidentifier() and find_spec(package) is not None]
