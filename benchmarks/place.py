"""Set up a temporary folder, database server and web servers for the bench.

The folder is under /var/tmp, which is on a disk. /tmp is often in memory, where a commit costs too
little. The database server is the embedded one as `make demo` starts it, with fsync on.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .frame import Sizes
from .processes import end_all, whole

if TYPE_CHECKING:
    from .content import World
    from .serving import Server

ON_DISK = Path("/var/tmp")  # noqa: S108 - the bench creates a folder with a random name in it
# Cleared so that the environment does not affect the figures: the bench measures the defaults.
CLEARED = (
    *(
        "ALLOWED_HOSTS",
        "BEHIND_PROXY",
        "CSRF_TRUSTED_ORIGINS",
        "DATABASE_URL",
        "DATABASE_URL_FILE",
        "DEBUG",
        "EMAIL_FROM",
    ),
    *(
        "EMAIL_URL",
        "HOST",
        "HTTPS",
        "LOG_LEVEL",
        "PORT",
        "SECRET_KEY",
        "SECRET_KEY_FILE",
        "THREADS",
        "TRUSTED_PROXIES",
    ),
    *("SESSION_HOURS", "SITE_URL", "WORKERS"),
    *("UPLOAD_LIMIT_MB", "DJANGO_SETTINGS_MODULE", "GUNICORN_CMD_ARGS"),
)


@dataclass
class Place:
    """The folder, with what is made in it, and servers that are started on first access."""

    folder: Path
    sizes: Sizes
    closing: ExitStack = field(default_factory=ExitStack, repr=False)
    made: dict[str, Any] = field(default_factory=dict)  # by the makers of `benchmarks.worlds`

    @property
    def world(self) -> World:
        """A half-finished project and its annotators, which all worlds rest on."""
        found: World = self.made["rated"]
        return found

    @cached_property
    def ours(self) -> Server:
        """Evenhand, served as in the demo."""
        return self._serve("config.wsgi", "config.settings")

    @cached_property
    def minimal(self) -> Server:
        """The minimal view, served in the same way."""
        return self._serve("benchmarks.minimal.wsgi", "benchmarks.minimal.settings")

    def _serve(self, application: str, settings: str) -> Server:
        from .serving import Server  # needs Django set up, which in turn needs this folder

        return self.closing.enter_context(Server(self.folder, application, settings))


@contextmanager
def own_place(parent: Path, sizes: Sizes, *, prepared: Path | None = None) -> Iterator[Place]:
    """Create the folder, set up Django in it, and remove everything at the end, even on errors.

    `prepared` is a folder to copy, with the parts that are the same every time: empty tables and
    compressed static files. It is created if it is missing. Creating it takes longer than a small
    measurement.
    """
    folder = Path(tempfile.mkdtemp(prefix="evenhand-bench-", dir=parent))
    folder.chmod(0o711)  # under root the database runs as another user, which needs to enter
    for name in CLEARED:
        os.environ.pop(name, None)
    os.environ["DATA"] = str(folder / "data")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    place = Place(folder, sizes)
    try:
        _prepare(prepared)
        with place.closing:
            yield place
    finally:
        with whole():
            end_all()
            _remove(folder)


def _prepare(prepared: Path | None) -> None:
    import django

    django.setup()
    from django.conf import settings

    from config.data_folder import make_data_folder

    if prepared is None:
        make_data_folder(settings.DATA)
    else:
        with _alone(prepared.with_suffix(".lock")):
            if not prepared.exists():
                make_data_folder(settings.DATA)
                _fill()
                _stop()  # the data must not change during the copy
                _copy(settings.DATA, prepared)
        if not settings.DATA.exists():
            _copy(prepared, settings.DATA)
    _fill()


def _fill() -> None:
    """Create the tables and static files that are missing."""
    from django.conf import settings

    from annotators.management.commands.demo import collect_static, migrate  # after setup

    migrate()
    collect_static(settings.DATA / "static.digest")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy(source: Path, target: Path) -> None:
    """Copy a folder atomically, with its owners, which shutil does not preserve."""
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(part)], check=True)
    part.rename(target)


def _stop() -> None:
    from config.embedded_postgres import server as embedded
    from config.embedded_postgres.base import close_all

    close_all()
    embedded.detach()


def _remove(folder: Path) -> None:
    from config.embedded_postgres import cluster

    data = folder / "data"
    if data.exists():
        _stop()
        # Also stops what a killed process of ours left running.
        home = cluster.find_home(data)
        cluster.stop(home)
        for part in (home.folder, home.sockets):
            shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
