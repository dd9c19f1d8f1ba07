"""`make demo`: the whole program on this machine, with users and items to try it on."""

import fcntl
import hashlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from gunicorn.app.base import Application

from annotators import demo
from annotators.management.commands.migrate import require_replaced_migrations
from config import environment
from config.data_folder import make_data_folder
from config.embedded_postgres import cluster
from config.embedded_postgres.base import close_all

HOST = "127.0.0.1"


class Server(Application):
    """gunicorn inside this process, on a socket that is bound already.

    It calls `announce` once it takes requests, before the first worker answers one.
    """

    def __init__(self, listener: socket.socket, announce: Callable[[], None]) -> None:
        self.listener, self.announce = listener, announce
        super().__init__()

    def load_config(self) -> None:
        """Take the settings of the container, but for the socket."""
        self.load_config_from_module_name_or_filename("python:config.gunicorn")
        self.cfg.set("bind", f"fd://{self.listener.fileno()}")
        self.cfg.set("when_ready", lambda _arbiter: self.announce())

    def load(self) -> Any:
        """Return the application. gunicorn calls this in each worker.

        The worker connects at once: it then counts as a user of the database, and stops it if the
        first process was killed.
        """
        connection.ensure_connection()
        connection.close()
        # The import makes the application: in the worker, not before the fork.
        from config.wsgi import application

        return application


class Command(BaseCommand):
    """Serve the demonstration until Ctrl-C or SIGTERM."""

    help = (
        "Serve Evenhand on this machine with demonstration content; DATA= and PORT= in the "
        "environment."
    )
    requires_system_checks: list[str] = []  # the checks are CI's; a second start has 5 seconds

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare what is missing, then serve. All data is stored in DATA."""
        # A shell without a terminal starts background jobs with SIGINT ignored. And a Ctrl-C before
        # gunicorn takes over ends the program as SIGTERM does (`manage.py`), without a traceback.
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGTERM))
        if not settings.EMBEDDED:
            raise CommandError(
                "DATABASE_URL is set. The demonstration makes people whose passwords lie in a "
                "file, so it works on its own database only: unset DATABASE_URL."
            )
        data: Path = settings.DATA
        make_data_folder(data)
        alone = self.stay_alone(data)
        listener = self.listen()
        announcement = data / "demo.json"
        # Left by the last run. A script that waits for the file must find the new one.
        announcement.unlink(missing_ok=True)

        with self.step(f"Database (in {data})"):
            migrate()
        with self.step("Demonstration (people, items and ratings)"):
            collect_static(data / "static.digest")
            accounts = demo.make_people(data / "demo.passwords.json")
            demo.make_projects(timezone.now())
            demo.make_finished(timezone.now())
        # Workers are forked from here: they must open connections of their own.
        close_all()

        url = f"http://{HOST}:{listener.getsockname()[1]}"
        if not environment.string("SITE_URL"):
            settings.SITE_URL = url  # PORT=0 takes any free port
        worker = start_worker()
        try:
            Server(listener, partial(self.announce, url, announcement, accounts)).run()
        finally:
            worker.terminate()
            worker.wait()
            # It would send the next reader to a server that is gone.
            announcement.unlink(missing_ok=True)
            os.close(alone)  # another may start while this one stops its database

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Say what is done and, at its end, how many seconds it took, as .ci/step does."""
        began = monotonic()
        self.say(f"{name} ...")
        yield
        self.say(f"{name}: {monotonic() - began:.0f} s")

    def say(self, text: str) -> None:
        """Print it now: a pipe would keep it until there is more."""
        self.stdout.write(text)
        self.stdout.flush()

    def stay_alone(self, data: Path) -> int:
        """Lock DATA/demo.lock while this runs: two demonstrations would write one demo.json."""
        lock = os.open(data / "demo.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"A demonstration is running on {data} already; {data / 'demo.json'} tells where. "
                "Stop it, or give this one a folder and a port of its own: "
                "make demo DATA=other PORT=8001"
            ) from None
        return lock

    def listen(self) -> socket.socket:
        """Bind the port before anything else, so that a taken one is reported at once."""
        port = environment.number("PORT", default=8000, least=0, most=65535)
        try:
            return socket.create_server((HOST, port))
        except OSError as error:
            other = 8002 if port == 8001 else 8001
            raise CommandError(
                f"Port {port} on {HOST} can't be used: {os.strerror(error.errno or 0)}. "
                f"Stop the program that has it, or choose another: make demo PORT={other}"
            ) from None

    def announce(self, url: str, announcement: Path, accounts: list[dict[str, str]]) -> None:
        """Show the URL on the screen and write it to DATA/demo.json."""
        demo.write_private(announcement, {"url": url, "accounts": accounts})
        rows = "\n".join(_row_of(account) for account in accounts)
        database = cluster.find_home(settings.DATA).folder
        also = ""
        if database.parent != settings.DATA:
            also = f" and {database}: copy both"
        self.say(
            f"\nEvenhand is at {url}\n\n  {'name':<8}{'password':<16}role\n{rows}\n\n"
            f"The same is in {announcement}. Ctrl-C stops it; what was entered is kept in "
            f"{settings.DATA}{also}."
        )


def _row_of(account: dict[str, str]) -> str:
    return f"  {account['name']:<8}{account['password']:<16}{account['role']}"


def start_worker() -> subprocess.Popen[bytes]:
    """Start a worker that ends with this process, however that ends."""
    work = (sys.executable, settings.BASE_DIR / "manage.py", "work", f"--parent={os.getpid()}")
    variables = os.environ | {"SITE_URL": settings.SITE_URL}  # for the links of its e-mails
    # In a group of its own: Ctrl-C is for this process alone.
    return subprocess.Popen(work, env=variables, process_group=0)  # noqa: S603 - a program of ours


def migrate() -> None:
    """Bring the tables up to date. This is quick if they are."""
    connection.prepare_database()
    require_replaced_migrations(connection)
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)


def collect_static(digest_file: Path) -> None:
    """Hash and compress the static files, unless the digest in this file is theirs."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(None):
            status = os.stat(storage.path(name))
            digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    now = digest.hexdigest()
    if (
        digest_file.exists()
        and digest_file.read_text() == now
        and (settings.STATIC_ROOT / "staticfiles.json").exists()
    ):
        return
    call_command(
        "collectstatic", verbosity=0, interactive=False, clear=settings.STATIC_ROOT.exists()
    )
    digest_file.write_text(now)
