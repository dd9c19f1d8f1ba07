"""The embedded server's folder and its process: where they are, how they start and stop.

Callers hold the lock of `server.py`; nothing here is safe against a second process doing the same.

For root the server runs as another user (`programs.py`). If that user can't reach DATA, the folders
above stay closed; the cluster goes to /var/tmp instead, and a message says so.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from config.embedded_postgres.programs import (
    ELSEWHERE,
    EmbeddedDatabaseError,
    Owner,
    check_owner,
    make_private,
    run_as,
    server_owner,
    short_hash,
    usable,
)

SUPERUSER = "postgres"
DATABASE = "evenhand"
# A socket's path holds 107 bytes; PostgreSQL adds "/.s.PGSQL.5432.lock" to its folder.
LONGEST_SOCKET_FOLDER = 80
# Neither the server nor libpq takes a comma or a quote in this path as itself.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")
SECONDS_TO_START = 120  # the recovery after a crash is included
SECONDS_TO_STOP = 30
LOG = "server.log"
LARGEST_LOG = 10 * 2**20


@dataclass(frozen=True)
class Home:
    """Where one server lives: the cluster's folder (PGDATA) and that of its socket, both 0700."""

    folder: Path
    sockets: Path
    owner: Owner
    note: str = ""  # why it isn't where one would look for it

    @property
    def name(self) -> str:
        """The cluster's name on the command lines of its processes, by which they are known.

        Made of the folder's inode, not its path: a moved folder stays itself, a copied one is
        another.
        """
        found = self.folder.stat()
        return f"evenhand-{found.st_dev:x}-{found.st_ino:x}"


def find_home(data: Path) -> Home:
    """Where the server of `data` lives: in DATA/postgres, or in /var/tmp where its user can't get
    there."""
    owner = server_owner()
    near = data / "postgres"
    if not owner.switch:
        if near.exists() and near.stat().st_uid != owner.uid:
            raise EmbeddedDatabaseError(
                f"{near} belongs to another user: run as that user, or name another folder with DATA=."
            )
        return Home(near, _socket_folder(near, owner), owner)
    closed = run_as(owner, ["/bin/sh", "-c", 'cd "$1"', "sh", data]).returncode != 0
    far = ELSEWHERE / f"evenhand-{short_hash(data)}"
    if (near / "PG_VERSION").exists():
        if closed:
            raise EmbeddedDatabaseError(
                f"The database in {near} can't be reached by {owner.name}, as whom it runs: {data}, or a "
                "folder above it, is closed. Open it for passing through (chmod o+x), or move DATA elsewhere."
            )
    elif closed or (far / "PG_VERSION").exists():
        note = (
            f"the database is in {far}, because {data} is closed to {owner.name}, as whom PostgreSQL runs "
            "under root, and folders are left as they are. DATA= names another place."
        )
        check_owner(far, {owner.uid})
        return Home(far, _socket_folder(far, owner), owner, note)
    return Home(near, _socket_folder(near, owner), owner)


def ensure_running(home: Home, server: Mapping[str, str]) -> bool:
    """Make sure that the server answers; whether it had to be started."""
    if home.folder.exists() and _is_running(home):
        return False
    programs = usable(home.owner)
    if not (home.folder / "PG_VERSION").exists():
        _make_cluster(home, programs)
    _wait_for_orphans(home)
    _remove_stale_locks(home)
    make_private(home.sockets, home.owner)
    _start(home, programs, server)
    return True


def stop(home: Home) -> None:
    """Stop the server if it runs: clients are cut off, what is committed is on disk."""
    process = _postmaster(home)
    if process is None:
        return
    process.send_signal(signal.SIGINT)  # "fast" shutdown
    deadline = time.monotonic() + SECONDS_TO_STOP
    # Not process.wait(): where nobody reaps it, the process stays as a zombie.
    while _is_ours(process, home):
        if time.monotonic() > deadline:
            # "Immediate" shutdown: nothing committed is lost, the next start recovers.
            process.send_signal(signal.SIGQUIT)
            return
        time.sleep(0.02)


def remove(home: Home) -> None:
    """Stop the server and delete its data. For tests."""
    stop(home)
    shutil.rmtree(home.folder, ignore_errors=True)
    shutil.rmtree(home.sockets, ignore_errors=True)


def _start(home: Home, programs: Path, server: Mapping[str, str]) -> None:
    log = home.folder / LOG
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    parameters = {
        "listen_addresses": "",
        "unix_socket_directories": str(home.sockets),
        "unix_socket_permissions": "0700",
        "cluster_name": home.name,
        **server,
    }
    options = shlex.join(f"--{name}={value}" for name, value in parameters.items())
    # pg_ctl puts the folder in double quotes on a shell's command line; "." needs no quoting.
    place = ["-D", ".", "-l", LOG]
    waiting = ["-w", "-t", str(SECONDS_TO_START)]
    command: list[str | Path] = [programs / "bin/pg_ctl", "start", *place, *waiting, "-o", options]
    done = run_as(home.owner, command, folder=home.folder, seconds=SECONDS_TO_START + 10)
    if done.returncode != 0 or _postmaster(home) is None:
        raise EmbeddedDatabaseError(
            f"The embedded PostgreSQL in {home.folder} did not start: {done.stdout.strip()}\n"
            f"The end of its log, {log}:\n{_tail(log)}"
        )


def _make_cluster(home: Home, programs: Path) -> None:
    """initdb beside the place and rename, so that a kill halfway leaves nothing that looks like a
    cluster."""
    draft = home.folder.with_name(home.folder.name + ".making")
    if draft.is_symlink() or draft.exists():
        check_owner(draft, {home.owner.uid, os.geteuid()})
        shutil.rmtree(draft)
    make_private(draft, home.owner)
    # Byte order with Unicode's letters: the same on every machine, whatever locales it has.
    locale = [
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--encoding=UTF8",
    ]
    access = [
        "-U",
        SUPERUSER,
        "--auth=trust",
    ]  # who may open the socket's folder is the owner, or root
    initdb: list[str | Path] = [
        programs / "bin/initdb",
        "-D",
        ".",
        "--no-instructions",
        *access,
        *locale,
    ]
    done = run_as(home.owner, initdb, folder=draft, seconds=SECONDS_TO_START)
    if done.returncode == 0:
        single: list[str | Path] = [
            programs / "bin/postgres",
            "--single",
            "-D",
            ".",
            "-j",
            "postgres",
        ]
        done = run_as(home.owner, single, folder=draft, typed=f"CREATE DATABASE {DATABASE};\n")
    if done.returncode != 0:
        raise EmbeddedDatabaseError(
            f"A database could not be made in {draft}:\n{done.stdout.strip()}"
        )
    draft.rename(home.folder)


def _postmaster(home: Home) -> psutil.Process | None:
    """The server's first process, if postmaster.pid names a live one that carries this cluster's
    name."""
    try:
        process = psutil.Process(
            int((home.folder / "postmaster.pid").read_text().split("\n", 1)[0])
        )
    except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
        return None
    return process if _is_ours(process, home) else None


def _is_running(home: Home) -> bool:
    """Whether the server is up; one that is starting or recovering is waited for."""
    deadline = time.monotonic() + SECONDS_TO_START
    while _postmaster(home) is not None:
        try:
            lines = (home.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            continue  # it ends just now
        if len(lines) >= 8 and lines[7].strip() == "ready":
            return True
        if time.monotonic() > deadline:
            raise EmbeddedDatabaseError(
                f"The embedded PostgreSQL in {home.folder} is still starting after {SECONDS_TO_START} s. "
                f"The end of its log:\n{_tail(home.folder / LOG)}"
            )
        time.sleep(0.05)
    return False


def _is_ours(process: psutil.Process, home: Home) -> bool:
    """By name and command line, which every user may read; a process's folder is hidden in
    containers."""
    try:
        line = " ".join(process.cmdline())
        named = re.search(re.escape(home.name) + r"(?![0-9a-f])", line)
        return named is not None and process.name().startswith("postgres")
    except (psutil.NoSuchProcess, psutil.AccessDenied):  # a zombie counts as no process
        return False


def _wait_for_orphans(home: Home) -> None:
    """After the first process was killed its children end by themselves; a new server can't start
    before."""
    started = time.monotonic()
    while True:
        orphans = [process for process in psutil.process_iter() if _is_ours(process, home)]
        if not orphans:
            return
        waited = time.monotonic() - started
        if waited > 15:
            pids = ", ".join(str(process.pid) for process in orphans)
            raise EmbeddedDatabaseError(
                f"Processes of a killed server are still at work in {home.folder}: {pids}. End them."
            )
        if waited > 5:  # deep in a query that doesn't notice
            for process in orphans:
                process.send_signal(signal.SIGQUIT)
        time.sleep(0.05)


def _remove_stale_locks(home: Home) -> None:
    """Remove the server's lock files whose process number is another program's by now, or a dead
    process's that nobody reaped: PostgreSQL would take it for a running server and stop short.

    Only after `_wait_for_orphans` found no process of this cluster. A number that nobody has is
    left to PostgreSQL itself.
    """
    for path in (home.folder / "postmaster.pid", home.sockets / ".s.PGSQL.5432.lock"):
        try:
            pid = int(path.read_text().split("\n", 1)[0])
        except FileNotFoundError:
            continue
        except ValueError:
            path.unlink()  # empty or cut off: the machine stopped while it was written
            continue
        if psutil.pid_exists(pid):
            path.unlink()


def _socket_folder(folder: Path, owner: Owner) -> Path:
    """The cluster itself, or a short folder of its own where the path is too long or too odd for a
    socket."""
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER and PLAIN_PATH.fullmatch(str(folder)):
        return folder
    short = Path(tempfile.gettempdir())
    if owner.switch or len(os.fsencode(short)) > 40 or not PLAIN_PATH.fullmatch(str(short)):
        short = ELSEWHERE
    return short / f"evenhand-{short_hash(folder)}-socket"


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    except FileNotFoundError:
        return "(no log yet)"
