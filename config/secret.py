"""The key that signs sessions and links, where none is given: made once, kept in DATA."""

import os
import secrets
from pathlib import Path

from config.folder import make_data_folder


def kept_secret(data: Path) -> str:
    """The key in `data`/secret_key, made on first use and readable by its owner only.

    Two processes may come here at once: both write a file of their own, and the first to link it into place
    wins, so nobody ever reads half a key.
    """
    path = data / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    make_data_folder(data)
    draft = path.with_name(f"secret_key.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip()
