"""The folder DATA."""

import os
from pathlib import Path


def make_data_folder(data: Path) -> None:
    """Create DATA if it is missing, with access for its owner only.

    For root the mode also lets other users pass through, because PostgreSQL runs as another user.
    """
    if not data.is_dir():
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)
