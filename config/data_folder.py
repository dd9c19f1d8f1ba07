"""The folder DATA, and the secret key that is stored in it if none is given."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def make_data_folder(data: Path) -> None:
    """Create DATA if it is missing, with access for its owner only.

    For root the mode also lets other users pass through, because PostgreSQL runs as another user.
    """
    if not data.is_dir():
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)


def stored_secret(data: Path) -> str:
    """Return the key in `data`/secret_key, created on first use and readable by its owner only.

    Two processes may do this at the same time. Each writes its own temporary file, and the first to
    link it into place wins, so no process ever reads half a key.
    """
    path = data / "secret_key"
    if not path.exists():
        make_data_folder(data)
        with NamedTemporaryFile("w", dir=data) as draft:
            draft.write(secrets.token_urlsafe(64))
            draft.flush()
            with suppress(FileExistsError):
                os.link(draft.name, path)
    return path.read_text().strip()
