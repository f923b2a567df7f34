"""What an agent may see: an allowlist of variables, and of places beside those of the system."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings

PLAIN = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
# Never handed on, whatever the settings name: with them an agent would be the installation.
OURS = ("SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL")
OF_A_PREFIX = ("bin", "sbin", "lib", "lib64", "libexec", "shims", "versions", "version", "pyvenv.cfg")


def environment(home: Path) -> dict[str, str]:
    """The variables of an agent: harmless ones, and those that FOLDBACK_AGENT_ENVIRONMENT names."""
    names = {*PLAIN, *settings.FOLDBACK_AGENT_ENVIRONMENT} - set(OURS)
    given = {name: value for name in sorted(names) if (value := os.environ.get(name)) is not None}
    return {"PATH": os.defpath, **given, "HOME": str(home), "TMPDIR": str(home), "TERM": "dumb"}


def readable(argv: Iterable[str]) -> Iterator[str]:
    """Files that the command names, what it is a link to, and the programs on PATH with their libraries."""
    for part in argv:
        if os.path.isabs(part) and os.path.isfile(part):
            yield part
            yield os.path.realpath(part)
    prefixes = {sys.prefix, sys.base_prefix}
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):
            yield folder
            prefixes |= {os.path.dirname(folder), os.path.dirname(os.path.realpath(folder))}
    for prefix in sorted(prefixes - {"/"}):
        yield from (os.path.join(prefix, name) for name in OF_A_PREFIX)
