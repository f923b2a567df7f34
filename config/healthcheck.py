"""Whether one process lives: `python -m config.healthcheck web|worker|beat`, run beside it by a container engine.

Small on purpose: it runs every few seconds, so it loads settings and no application.
"""

import os
import socket
import sys
import time
import urllib.request
from collections.abc import Callable

BEAT_SECONDS = 90  # the scheduler ticks every fifteen


def web() -> bool:
    """The address by its number, the name as ALLOWED_HOSTS has it: a proxy would ask so too."""
    from django.conf import settings

    name = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
    url = f"http://127.0.0.1:{os.environ.get('PORT') or '8000'}/healthz"
    request = urllib.request.Request(url, headers={"Host": name})
    with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
        return bool(response.status == 200)


def worker() -> bool:
    """A fresh heartbeat of this machine's worker, by database time: so it has reached the database too."""
    from django.db import connection

    from config.heartbeat import FRESH_SECONDS

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM generation_workerheartbeat"
            " WHERE worker = %s AND seen_at > now() - make_interval(secs => %s)",
            [f"celery@{socket.gethostname()}", FRESH_SECONDS],
        )
        return cursor.fetchone() is not None


def beat() -> bool:
    from config.beat import sign

    return time.time() - sign().stat().st_mtime < BEAT_SECONDS


CHECKS: dict[str, Callable[[], bool]] = {"web": web, "worker": worker, "beat": beat}


def main(arguments: list[str]) -> int:
    """0 where it lives, 1 where it does not, with the kind of error and no address."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if len(arguments) != 1 or arguments[0] not in CHECKS:
        sys.stderr.write(f"one of: {', '.join(CHECKS)}\n")
        return 2
    try:
        lives = CHECKS[arguments[0]]()
    except Exception as error:  # whatever it is, the answer is no
        sys.stderr.write(f"{arguments[0]}: {type(error).__name__}\n")
        return 1
    return 0 if lives else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
