"""Start and end the processes of the bench. None outlives it.

Each process leads its own session. So Ctrl-C in a terminal reaches only the bench, which then ends
the processes in order. The session also finds all descendants of a process, even when their parent
is gone. A signal that arrives while a process is started or ended waits until that is complete.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
LONGEST_STOP = 15  # seconds for a process to end after SIGTERM
LONGEST_KILL = 15  # seconds for the system to end killed processes
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_living: list[subprocess.Popen[str]] = []
_holding = 0  # how many `whole` contexts are open
_came = 0  # the signal that arrived inside one


def leave_on_signals() -> None:
    """Exit on the first ending signal with the shell's exit code, running every `finally`."""
    for number in ENDING:
        # Leave SIGHUP ignored if nohup ignores it.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    global _came
    if _holding:
        _came = _came or number
        return
    # Ignore further signals, so that the cleanup completes. All its waits have a time limit.
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


@contextmanager
def whole() -> Iterator[None]:
    """Delay ending signals until the block is complete."""
    global _holding
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
    if _came and not _holding:
        _leave(_came, None)


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[str]:
    """Start a process with the arguments of Popen. `end` or `end_all` ends it."""
    with whole():
        process = subprocess.Popen(command, cwd=ROOT, text=True, start_new_session=True, **how)
        _living.append(process)
    return process


def end(process: subprocess.Popen[str]) -> None:
    """Terminate a process, then kill it and its descendants if they are still running."""
    with whole():
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST_STOP)
        deadline = time.monotonic() + LONGEST_KILL
        # Loop, because one of them may start another before it is killed.
        while rest := of_session(process.pid):
            if time.monotonic() > deadline:
                raise RuntimeError(f"cannot be ended: {rest}")
            for member in rest:
                with suppress(psutil.NoSuchProcess):
                    member.kill()
            process.poll()
            time.sleep(0.02)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with suppress(BrokenPipeError):  # unsent input has no reader any more
                    pipe.close()
        _living.remove(process)


def end_all() -> None:
    """End all remaining processes, the newest first."""
    with whole():
        for process in reversed(_living.copy()):
            end(process)


def of_session(leader: int) -> list[psutil.Process]:
    """Return the running processes of a session, without zombies."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
