"""Run a web server for the bench: gunicorn with the program's own configuration, on loopback."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
from django.conf import settings

from config.embedded_postgres import cluster

from .processes import end, start

LONGEST_START = 60  # seconds


class Server:
    """A gunicorn process for one application, as a context manager that ends it on exit."""

    def __init__(self, folder: Path, application: str, settings_module: str) -> None:
        self.log = folder / f"{application}.log"
        self.application = application
        self.settings_module = settings_module
        self.address = ("127.0.0.1", 0)

    def __enter__(self) -> Self:
        with (
            socket.create_server(("127.0.0.1", 0), backlog=512) as listener,
            self.log.open("wb") as log,
        ):
            self.address = listener.getsockname()
            bound = listener.fileno()
            self.process = start(
                [
                    *(sys.executable, "-m", "gunicorn", "-c", "python:config.gunicorn"),
                    *("--bind", f"fd://{bound}", self.application),
                ],
                env={**os.environ, "DJANGO_SETTINGS_MODULE": self.settings_module},
                pass_fds=[bound],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + LONGEST_START
        while len(self.workers()) < 2:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(
                    f"{self.application} does not start:\n{self.log.read_text()[-4000:]}"
                )
            time.sleep(0.05)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        end(self.process)

    def workers(self) -> list[psutil.Process]:
        """Return the worker processes."""
        return psutil.Process(self.process.pid).children()

    def cpu(self) -> float:
        """Return the CPU seconds of the workers, user and system."""
        return sum(_own(worker) for worker in self.workers())

    def peak_mb(self) -> float:
        """Return the sum of the workers' peak memory. Shared pages count once per worker."""
        return peak_mb(worker.pid for worker in self.workers())


def database_cpu() -> float:
    """Return the CPU seconds of PostgreSQL, including its processes that have ended."""
    home = cluster.find_home(settings.DATA)
    first = psutil.Process(int((home.folder / "postmaster.pid").read_text().split("\n", 1)[0]))
    times = first.cpu_times()
    ended = times.children_user + times.children_system
    return float(ended + _own(first) + sum(_own(child) for child in first.children()))


def peak_mb(pids: Iterable[int | str]) -> float:
    """Return the sum of the processes' peak resident size (VmHWM) in MB."""
    sizes = [
        re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text()) for pid in pids
    ]
    return sum(int(size[1]) for size in sizes if size) / 1024


def _own(process: psutil.Process) -> float:
    """Return the CPU seconds of a process's live threads.

    schedstat counts nanoseconds; psutil's cpu_times only has hundredths of a second.
    """
    total = 0
    for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        try:
            total += int(thread.read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):  # the thread has just ended
            continue
    return total / 1e9
