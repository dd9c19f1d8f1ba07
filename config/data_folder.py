"""The folder DATA."""

import os
from pathlib import Path


def make_data_folder(data: Path) -> None:
    """Make DATA where it is missing: open to its owner, and for the server's user to pass
    through."""
    if not data.is_dir():
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)
