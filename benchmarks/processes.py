"""The processes that the bench starts, none of which outlives it.

Each leads a session of its own, so that Ctrl-C in a terminal reaches the bench alone, which then
ends them in its own order; and so that whatever one of them has started is found by that session,
also when its parent is gone. A signal that comes while one is started or ended waits until that is
whole.
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
LONGEST_STOP = 15  # seconds for ending by itself
LONGEST_KILL = 15  # seconds until the system has ended what was killed
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_living: list[subprocess.Popen[str]] = []
_holding = 0  # contexts that must not be left halfway
_came = 0  # the signal that came meanwhile


def leave_on_signals() -> None:
    """From now on the first signal to end leaves by way of every `finally`, with the shell's exit
    code."""
    for number in ENDING:
        if (
            number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
        ):  # which nohup wants
            signal.signal(number, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    global _came
    if _holding:
        _came = _came or number
        return
    for (
        each
    ) in ENDING:  # what is going to be cleared away is cleared away whole; each wait has its limit
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


@contextmanager
def whole() -> Iterator[None]:
    """Be done with this before a signal is heeded."""
    global _holding
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
    if _came and not _holding:
        _leave(_came, None)


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[str]:
    """Start a process, with arguments as of Popen. It ends with `end`, and with `end_all` at the
    latest."""
    with whole():
        process = subprocess.Popen(command, cwd=ROOT, text=True, start_new_session=True, **how)
        _living.append(process)
    return process


def end(process: subprocess.Popen[str]) -> None:
    """Have a process end, and all that it started; kill what does not."""
    with whole():
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST_STOP)
        deadline = time.monotonic() + LONGEST_KILL
        # Again and again, for one of them may start another before its turn comes.
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
                with suppress(BrokenPipeError):  # what was not yet sent has nobody to go to
                    pipe.close()
        _living.remove(process)


def end_all() -> None:
    """End what is left, the last first."""
    with whole():
        for process in reversed(_living.copy()):
            end(process)


def of_session(leader: int) -> list[psutil.Process]:
    """The processes of a session that run; a zombie does not."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
