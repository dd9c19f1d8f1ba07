"""The end of an embedded server that a test was the only one to use."""

from __future__ import annotations

import shutil
from contextlib import suppress

from config.embedded_postgres import cluster


def remove_cluster(home: cluster.Home) -> None:
    """Stop the server and delete its data."""
    cluster.stop(home)
    shutil.rmtree(home.folder, ignore_errors=True)
    shutil.rmtree(home.sockets, ignore_errors=True)
    with suppress(OSError):  # not made, or not empty
        cluster.STATE.rmdir()
