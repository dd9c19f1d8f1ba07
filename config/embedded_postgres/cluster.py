"""The embedded server's folder and process: find, create, start and stop them.

Callers must hold the lock of `server.py`. Nothing here is safe if a second process does the same.

For root the server runs as another user (`programs.py`). If that user can't reach DATA, we do not
open the folders above it. The cluster is created in /var/lib/evenhand instead, with a message.
"""

import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from config.data_folder import make_data_folder
from config.embedded_postgres.programs import (
    ELSEWHERE,
    EmbeddedDatabaseError,
    Owner,
    check_owner,
    make_private,
    run_as,
    server_owner,
    short_hash,
    usable_programs,
)

SUPERUSER = "postgres"
DATABASE = "evenhand"
STATE = Path("/var/lib/evenhand")  # clusters of closed folders; the system empties /var/tmp
# Bytes. A socket's path can have 107; PostgreSQL adds "/.s.PGSQL.5432.lock" to its folder.
LONGEST_SOCKET_FOLDER = 80
# The server and libpq treat a comma or a quote in the socket's path specially.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")
SECONDS_TO_START = 120  # includes the recovery after a crash
SECONDS_TO_STOP = 30
LOG = "server.log"
LARGEST_LOG = 10 * 2**20  # bytes


@dataclass(frozen=True)
class Home:
    """The folders of one server, both with mode 0700."""

    folder: Path  # the cluster's (PGDATA)
    sockets: Path  # the folder of its socket
    owner: Owner
    note: str = ""  # why the cluster isn't in DATA

    @property
    def name(self) -> str:
        """The cluster's name on the command lines of its processes, which identifies them.

        It contains the folder's inode, not its path: a moved folder keeps its name, a copied one
        gets another.
        """
        status = self.folder.stat()
        return f"evenhand-{status.st_dev:x}-{status.st_ino:x}"


def find_home(data: Path) -> Home:
    """Return the home of `data`: DATA/postgres, or in STATE if the server's user can't reach it."""
    owner = server_owner()
    inside = data / "postgres"
    if not owner.switch:
        if inside.exists() and inside.stat().st_uid != owner.uid:
            raise EmbeddedDatabaseError(
                f"{inside} belongs to another user: run as that user, or name another folder "
                "with DATA=."
            )
        return Home(inside, _socket_folder(inside), owner)
    closed = _is_closed(data, owner)
    outside, old = _folders_outside(data)
    if (inside / "PG_VERSION").exists():
        if closed:
            raise EmbeddedDatabaseError(
                f"The database in {inside} can't be reached by {owner.name}, as whom it runs: "
                f"{data}, or a folder above it, is closed. Open it for passing through "
                "(chmod o+x), or move DATA elsewhere."
            )
    elif old.exists() and old.stat().st_uid == owner.uid and not outside.exists():
        raise EmbeddedDatabaseError(
            f"The database of {data} is in {old}, where the system deletes old files. Stop what "
            f"uses it, and move it: mkdir -p -m 711 {STATE} && mv {old} {outside}"
        )
    elif closed or outside.exists():
        return _home_outside(data, outside, owner)
    return Home(inside, _socket_folder(inside), owner)


def _home_outside(data: Path, folder: Path, owner: Owner) -> Home:
    """Return a home in STATE, for a DATA that the server's user can't reach."""
    with suppress(OSError):
        make_data_folder(STATE)
    if _is_closed(STATE, owner):
        raise EmbeddedDatabaseError(
            f"{data} is closed to {owner.name}, as whom PostgreSQL runs under root, and "
            f"{STATE}, which would keep the database instead, can't be made or is closed too. "
            "Open one of them for passing through (chmod o+x), or name another folder with "
            "DATA=."
        )
    check_owner(folder, {owner.uid})
    note = (
        f"the database is in {folder}, because {data} is closed to {owner.name}, as whom "
        "PostgreSQL runs under root, and folders are left as they are. "
        "DATA= names another place."
    )
    return Home(folder, _socket_folder(folder), owner, note)


def is_made(data: Path) -> bool:
    """Return True if `data` has a cluster. Unlike `find_home`, this makes no system user.

    Elsewhere there are only root's.
    """
    outside = _folders_outside(data) if os.geteuid() == 0 else ()
    return any(folder.exists() for folder in (data / "postgres", *outside))


def _folders_outside(data: Path) -> tuple[Path, Path]:
    """Return the cluster's folder for a DATA that is closed, and the one of earlier versions."""
    name = short_hash(data)
    return STATE / name, ELSEWHERE / f"evenhand-{name}"


def _is_closed(folder: Path, owner: Owner) -> bool:
    """Return True if the server's user can't enter the folder."""
    return run_as(owner, ["/bin/sh", "-c", 'cd "$1"', "sh", folder]).returncode != 0


def ensure_running(home: Home, server: Mapping[str, str], seconds: int = SECONDS_TO_START) -> bool:
    """Start the server if it does not run. Return True once it takes connections.

    Return False if it is still starting, or recovering from a crash, after so many seconds.
    """
    if not home.folder.exists() or _postmaster(home) is None:
        programs = usable_programs(home.owner)
        if not (home.folder / "PG_VERSION").exists():
            _make_cluster(home, programs)
        _wait_for_orphans(home)
        _remove_stale_locks(home)
        make_private(home.sockets, home.owner)
        _start(home, programs, server, seconds)
    return _is_ready(home, seconds)


def stop(home: Home) -> None:
    """Stop the server if it runs. Clients are disconnected; committed data is on disk."""
    if process := _postmaster(home):
        process.send_signal(signal.SIGINT)  # "fast" shutdown
        # Not process.wait(): if its parent does not reap it, the process stays a zombie.
        for _ in range(SECONDS_TO_STOP * 50):
            if not _is_ours(process, home):
                return
            time.sleep(0.02)
        # "Immediate" shutdown: nothing committed is lost, and the next start recovers.
        process.send_signal(signal.SIGQUIT)


def _start(home: Home, programs: Path, server: Mapping[str, str], seconds: int) -> None:
    if home.note:
        print(f"evenhand: {home.note}", file=sys.stderr, flush=True)
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
    done = run_as(
        home.owner,
        [
            *(programs / "bin/pg_ctl", "start"),
            # pg_ctl puts the folder in double quotes on a shell's command line; "." needs none.
            *("-D", ".", "-l", LOG, "-o", options),
            *("-w", "-t", str(seconds)),
        ],
        folder=home.folder,
        seconds=seconds + 10,
    )
    if _postmaster(home) is None:
        raise EmbeddedDatabaseError(
            f"The embedded PostgreSQL in {home.folder} did not start: {done.stdout.strip()}\n"
            f"{end_of_log(home)}"
        )


def _make_cluster(home: Home, programs: Path) -> None:
    """Create the cluster in a temporary folder, then rename it.

    So a process killed halfway leaves nothing that looks like a cluster.
    """
    draft = home.folder.with_name(home.folder.name + ".making")
    if draft.is_symlink() or draft.exists():
        check_owner(draft, {home.owner.uid, os.geteuid()})
        shutil.rmtree(draft)
    make_private(draft, home.owner)
    done = run_as(
        home.owner,
        [
            programs / "bin/initdb",
            *("-D", ".", "--no-instructions"),
            # Only the owner and root can open the socket's folder, so trust every connection.
            *("-U", SUPERUSER, "--auth=trust"),
            # Sort by bytes, with Unicode's letter classes: the same on every machine, whatever its
            # locales.
            *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            "--encoding=UTF8",
        ],
        folder=draft,
        seconds=SECONDS_TO_START,
    )
    if done.returncode == 0:
        done = run_as(
            home.owner,
            [programs / "bin/postgres", "--single", "-D", ".", "-j", "postgres"],
            folder=draft,
            typed=f"CREATE DATABASE {DATABASE};\n",
        )
    if done.returncode != 0:
        raise EmbeddedDatabaseError(
            f"A database could not be made in {draft}:\n{done.stdout.strip()}"
        )
    draft.rename(home.folder)


def _postmaster(home: Home) -> psutil.Process | None:
    """Return the server's first process, or None if it does not run.

    It is the live process in postmaster.pid whose command line has the cluster's name.
    """
    try:
        pid, _newline, _rest = (home.folder / "postmaster.pid").read_text().partition("\n")
        process = psutil.Process(int(pid))
    except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
        return None
    return process if _is_ours(process, home) else None


def _is_ready(home: Home, seconds: int) -> bool:
    """Return True once the server takes connections, False if it ends or takes longer."""
    deadline = time.monotonic() + seconds
    while _postmaster(home) is not None and time.monotonic() < deadline:
        with suppress(FileNotFoundError):  # the server is just ending
            lines = (home.folder / "postmaster.pid").read_text().splitlines()
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return True
        time.sleep(0.05)
    return False


def _is_ours(process: psutil.Process, home: Home) -> bool:
    """Return True if the process belongs to this cluster, by its name and command line.

    Every user may read these. A process's working folder is hidden in containers.
    """
    name = re.escape(home.name) + r"(?![0-9a-f])"
    try:
        has_name = re.search(name, " ".join(process.cmdline())) is not None
        return has_name and process.name().startswith("postgres")
    except (psutil.NoSuchProcess, psutil.AccessDenied):  # a zombie counts as no process
        return False


def _wait_for_orphans(home: Home) -> None:
    """Wait until the children of a killed server have ended.

    They end by themselves, but a new server can't start before.
    """
    orphans: list[psutil.Process] = []
    for waited in range(300):  # at least 15 seconds
        orphans = [process for process in psutil.process_iter() if _is_ours(process, home)]
        if not orphans:
            return
        if waited > 100:  # in a long query that doesn't notice
            for process in orphans:
                process.send_signal(signal.SIGQUIT)
        time.sleep(0.05)
    raise EmbeddedDatabaseError(
        f"Processes of a killed server are still at work in {home.folder}: "
        f"{', '.join(str(process.pid) for process in orphans)}. End them."
    )


def _remove_stale_locks(home: Home) -> None:
    """Remove lock files whose process id now belongs to another program or to a zombie.

    PostgreSQL would take that process for a running server and refuse to start. Call this only
    after `_wait_for_orphans`. PostgreSQL itself handles an id that no process has.
    """
    for path in (home.folder / "postmaster.pid", home.sockets / ".s.PGSQL.5432.lock"):
        with suppress(FileNotFoundError):
            pid = path.read_text().partition("\n")[0].strip()
            # Empty or truncated: the machine stopped while it was written.
            if not pid.isdigit() or psutil.pid_exists(int(pid)):
                path.unlink()


def _socket_folder(folder: Path) -> Path:
    """Return the socket's folder: the cluster, or one in /var/tmp if its path is unfit.

    A path is unfit if it is too long for a socket or contains special characters.
    """
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER and PLAIN_PATH.fullmatch(str(folder)):
        return folder
    return ELSEWHERE / f"evenhand-{short_hash(folder)}-socket"


def end_of_log(home: Home) -> str:
    """Return the last lines of the server's log, for an error message."""
    log = home.folder / LOG
    lines = log.read_text(errors="replace").splitlines()[-20:] if log.exists() else ["(no log yet)"]
    return "\n".join([f"The end of its log, {log}:", *lines])
