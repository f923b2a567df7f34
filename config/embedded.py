"""Where the embedded PostgreSQL keeps its files, and the addresses by which it is reached."""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

ROLE = "foldback"  # owns the tables, is no superuser: it cannot lift the append-only triggers
DATABASE = "foldback"
LONGEST_SOCKET_FOLDER = 90  # a socket's path ends at 107 bytes, its file name takes 17


def socket_folder(data_dir: Path) -> Path:
    """The folder of the server's socket: inside the data folder, or a short private one instead."""
    inside = data_dir.resolve() / "socket"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_FOLDER:
        return inside
    digest = hashlib.sha256(os.fsencode(inside)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"foldback-{os.getuid()}-{digest}"


def database_url(data_dir: Path, database: str = DATABASE) -> str:
    """The embedded database as a DATABASE_URL (a socket, no password, no port open)."""
    return f"postgres://{ROLE}@/{database}?host={quote(str(socket_folder(data_dir)))}"
