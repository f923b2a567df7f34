"""The installation's own secret key, made once and kept beside its data."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key`, made (readable by its owner only) where there is none."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        _put(path, secrets.token_urlsafe(50))
    return path.read_text().strip()


def _put(path: Path, text: str) -> None:
    """The whole file or none: a process that reads at the same time never sees it empty, the first one wins."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".secret-")  # mkstemp: mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(name, path)
    finally:
        os.unlink(name)
