"""The installation's own secret key, made once and kept beside its data."""

import os
import secrets
from pathlib import Path


def secret_key(data_dir: Path) -> str:
    """The key in `data_dir/secret_key`, made (readable by its owner only) where there is none."""
    path = data_dir / "secret_key"
    if path.exists():
        return path.read_text().strip()
    data_dir.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was first
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()
